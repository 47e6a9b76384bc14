#if canImport(OpenCombine)
    @_spi(Programs) import LocationKit
    @_spi(Programs) import LocationKitCombine
    import Synchronization

    /// Adds and removes observers, and publishes numbers to them when the test says so.
    final class CombineSource: Sendable {
        private struct State {
            var observers: [Observer<Int>] = []
            var additions = 0
        }

        private let state = Mutex(State())

        var observers: [Observer<Int>] { state.withLock { $0.observers } }
        /// How often an observer has been added.
        var additions: Int { state.withLock { $0.additions } }

        func publish(_ number: Int) {
            for observer in observers { observer.handle(.immediate) { number } }
        }

        /// - Parameters:
        ///   - present: the first value of each observer.
        ///   - onAddition: runs before an observer is added.
        func observation(
            present: (@Sendable () -> Int)? = nil, requestsUpdates: Bool = false,
            onAddition: @escaping @Sendable () -> Void = {}
        ) -> ObserverPublisher<Int> {
            ObserverPublisher(present: present, requestsUpdates: requestsUpdates) { observer in
                onAddition()
                self.state.withLock {
                    $0.observers.append(observer)
                    $0.additions += 1
                }
            } remove: { observer in
                self.state.withLock { $0.observers.removeAll { $0 == observer } }
            }
        }
    }
#endif
