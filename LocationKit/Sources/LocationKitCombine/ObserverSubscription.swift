#if Combine
    @_spi(Programs) import LocationKit
    import OpenCombine
    import Synchronization

    /// One subscriber's subscription to an ``ObserverPublisher``, from its first demand until it is cancelled.
    ///
    /// Ownership: everything is in `active`, under a lock that is held only to move values, because values come on the
    /// manager's threads and demand on the subscriber's. Subscriber and manager are called without the lock. The
    /// observer's handler retains the subscription, so that a subscriber need not; cancelling breaks that cycle.
    final class ObserverSubscription<Value: Sendable & Equatable>: Subscription, Sendable {
        private struct Active {
            let publisher: ObserverPublisher<Value>
            let subscriber: SendableSubscriber<Value>
            var slot: DemandSlot<Value>
            var hasStarted = false
            var observer: Observer<Value>?
        }

        /// `nil` once cancelled.
        private let active: Mutex<Active?>

        init(_ publisher: ObserverPublisher<Value>, to subscriber: SendableSubscriber<Value>) {
            active = Mutex(
                Active(
                    publisher: publisher, subscriber: subscriber,
                    slot: DemandSlot(skipsRepetitions: publisher.present != nil)))
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            let starting = active.withLock { active -> ObserverPublisher<Value>? in
                active?.slot.addDemand(demand)
                guard active?.hasStarted == false else { return nil }
                active?.hasStarted = true
                return active?.publisher
            }
            if let starting { start(starting) } else { deliver() }
        }

        func cancel() {
            // Released without the lock: deinitializing the subscriber may run any code.
            let ended = active.withLock { active in
                defer { active = nil }
                return active
            }
            if let ended, let observer = ended.observer { ended.publisher.remove(observer) }
        }

        private func start(_ publisher: ObserverPublisher<Value>) {
            if let present = publisher.present { receive(present()) }
            let observer = Observer<Value>(requestsUpdates: publisher.requestsUpdates) { self.receive($0) }
            let isWanted = active.withLock { active in
                active?.observer = observer
                return active != nil
            }
            guard isWanted else { return }
            publisher.add(observer)
            // Cancelled meanwhile, perhaps before the observer was added.
            if active.withLock({ $0 == nil }) { publisher.remove(observer) }
        }

        private func receive(_ value: Value) {
            active.withLock { $0?.slot.store(value) }
            deliver()
        }

        private func deliver() {
            while let (value, subscriber) = nextDelivery() {
                let more = subscriber.receive(value)
                active.withLock { $0?.slot.finish(more) }
            }
        }

        private func nextDelivery() -> (Value, SendableSubscriber<Value>)? {
            active.withLock { active in
                guard let value = active?.slot.next(), let subscriber = active?.subscriber else { return nil }
                return (value, subscriber)
            }
        }
    }

    /// A subscriber that is called on any thread.
    ///
    /// Unchecked Sendable: subscribers are not `Sendable`, but Combine allows calls on any thread as long as no two
    /// overlap. The subscription guarantees that: it calls this only between ``DemandSlot/next()`` and
    /// ``DemandSlot/finish(_:)``, which its lock orders.
    struct SendableSubscriber<Value>: @unchecked Sendable {
        /// Delivers a value; returns the additional demand.
        let receive: (Value) -> Subscribers.Demand

        init<Downstream: OpenCombine.Subscriber>(_ subscriber: Downstream) where Downstream.Input == Value {
            receive = { subscriber.receive($0) }
        }
    }

    /// A subscriber's demand, and the value that waits for it. At most one value waits: a newer one replaces it.
    struct DemandSlot<Value: Sendable & Equatable>: Sendable {
        /// Whether a value equal to the last delivered one is dropped.
        let skipsRepetitions: Bool
        private var demand = Subscribers.Demand.none
        private var waiting: Value?
        private var last: Value?
        private var isBusy = false

        init(skipsRepetitions: Bool) {
            self.skipsRepetitions = skipsRepetitions
        }

        mutating func addDemand(_ more: Subscribers.Demand) {
            demand += more
        }

        mutating func store(_ value: Value) {
            waiting = value
        }

        /// - Returns: the value to deliver now, after which ``finish(_:)`` has to be called. `nil` while the subscriber
        ///   is busy or has no demand, or if no value waits.
        mutating func next() -> Value? {
            guard !isBusy, demand > .none, let value = waiting else { return nil }
            waiting = nil
            if skipsRepetitions {
                guard value != last else { return nil }
                last = value
            }
            demand -= 1
            isBusy = true
            return value
        }

        /// The delivery has ended; adds the subscriber's additional demand.
        mutating func finish(_ more: Subscribers.Demand) {
            isBusy = false
            demand += more
        }
    }
#endif
