/// A handler that can be added to a location manager and removed again; equal only to itself.
///
/// Keep it to remove it. The manager keeps what the handler captures until then, so capture objects weakly that own
/// the manager. One that is slower than the news finds the newest 256 values.
public final class Observer<Value: Sendable>: Sendable, Equatable {
    /// Whether locations or headings are asked for as long as this observer is added, as an asynchronous sequence of
    /// them does. Removing it ends nothing but its own asking.
    public let requestsUpdates: Bool
    /// Runs the handler with what `next` gives, if that is anything by then, where the observer wants it or else at the
    /// given place.
    package let handle: @Sendable (_ place: Delivery, _ next: @escaping @Sendable () -> Value?) -> Void

    /// - Parameters:
    ///   - delivery: where the handler runs; `nil` for the manager's own place.
    ///   - requestsUpdates: whether it asks for what it is told; nothing but locations and headings can be asked for.
    ///   - handler: is called with each value, never twice at once by one manager.
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
    ///   - actor: on whom the handler runs; it is not kept alive, and without it nothing is told.
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
            // The handler's isolation is MainActor.shared's, on which this runs.
            MainActor.assumeIsolated { handler(value) }
        }
    }

    /// Tells the observer a value without a manager.
    package var handler: @Sendable (Value) -> Void {
        { [handle] value in handle(.immediate) { value } }
    }

    /// True if both are the same observer.
    public static func == (lhs: Observer, rhs: Observer) -> Bool { lhs === rhs }
}
