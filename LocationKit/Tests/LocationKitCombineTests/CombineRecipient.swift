#if canImport(OpenCombine)
    import OpenCombine
    import Synchronization

    /// A subscriber that records the values and has the demand that the test sets.
    ///
    /// The subscription is set before anything else can happen, and everything else is under a lock.
    final class CombineRecipient<Input: Sendable>: Subscriber, @unchecked Sendable {
        typealias Failure = Never

        private struct State {
            var values: [Input] = []
            var isInside = false
            var hasOverlapped = false
            var hasEnded = false
        }

        private let state = Mutex(State())
        private var subscription: (any Subscription)?
        private let onReceive: @Sendable (CombineRecipient, Input) -> Subscribers.Demand

        /// - Parameter onReceive: is called with each value; returns the additional demand.
        init(onReceive: @escaping @Sendable (CombineRecipient, Input) -> Subscribers.Demand = { _, _ in .none }) {
            self.onReceive = onReceive
        }

        var values: [Input] { state.withLock { $0.values } }
        /// Whether two values came at the same time.
        var hasOverlapped: Bool { state.withLock { $0.hasOverlapped } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }

        func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
        func cancel() { subscription?.cancel() }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
        }

        func receive(_ input: Input) -> Subscribers.Demand {
            state.withLock {
                $0.hasOverlapped = $0.hasOverlapped || $0.isInside
                $0.isInside = true
                $0.values.append(input)
            }
            defer { state.withLock { $0.isInside = false } }
            return onReceive(self, input)
        }

        func receive(completion: Subscribers.Completion<Never>) { state.withLock { $0.hasEnded = true } }
    }
#endif
