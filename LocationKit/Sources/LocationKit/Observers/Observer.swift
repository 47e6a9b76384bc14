/// A handler that can be added to a manager or monitor, and removed again; equal only to itself.
///
/// Keep the observer to remove it. The manager retains it until then, so capture objects weakly if they own the
/// manager. A handler that is slower than the events receives the newest 256 values.
public final class Observer<Value: Sendable>: Sendable, Equatable {
    /// Whether this observer requests locations or headings as long as it is added, as an asynchronous sequence of them
    /// does. Removing it ends no other demand.
    public let requestsUpdates: Bool
    /// Runs the handler with the result of `next`, unless that is `nil` by then, on the observer's own delivery or else
    /// on the given one.
    @_spi(Programs) public let handle: @Sendable (_ place: Delivery, _ next: @escaping @Sendable () -> Value?) -> Void

    /// - Parameters:
    ///   - delivery: where the handler runs; `nil` for the manager's delivery.
    ///   - requestsUpdates: whether the observer requests the values it receives; only locations and headings can be
    ///     requested.
    ///   - handler: is called with each value, never concurrently by one manager.
    public init(
        on delivery: Delivery? = nil, requestsUpdates: Bool = false, _ handler: @escaping @Sendable (Value) -> Void
    ) {
        self.requestsUpdates = requestsUpdates
        handle = { place, next in
            (delivery ?? place).run {
                if let value = next() { handler(value) }
            }
        }
    }

    /// - Parameters:
    ///   - actor: where the handler runs. It is not retained; once it is deinitialized the handler is not called any
    ///     more.
    ///   - handler: is called with each value, in order.
    public init<A: Actor>(on actor: A, _ handler: @escaping @Sendable (isolated A, Value) -> Void) {
        requestsUpdates = false
        let visits = ActorQueue(to: actor)
        handle = { _, next in
            visits.append { actor in
                if let value = next() { handler(actor, value) }
            }
        }
    }

    /// An observer whose handler runs on the main actor, with each value in order.
    public static func main(_ handler: @escaping @MainActor (Value) -> Void) -> Observer {
        Observer(on: MainActor.shared) { _, value in
            // The handler is isolated to MainActor.shared, on which this runs.
            MainActor.assumeIsolated { handler(value) }
        }
    }

    /// Calls the handler with a value, without a manager.
    @_spi(Programs) public var handler: @Sendable (Value) -> Void {
        { [handle] value in handle(.immediate) { value } }
    }

    /// True if both are the same observer.
    public static func == (lhs: Observer, rhs: Observer) -> Bool { lhs === rhs }
}
