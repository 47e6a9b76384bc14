/// A handler that can be added to a location manager and removed again; equal only to itself.
///
/// Keep it to remove it. The manager keeps what the handler captures until then, so capture objects weakly that own
/// the manager.
public final class Observer<Value: Sendable>: Sendable, Equatable {
    /// Where the handler runs; `nil` for the manager's own place.
    package let delivery: Delivery?
    package let handler: @Sendable (Value) -> Void

    /// - Parameters:
    ///   - delivery: where the handler runs; `nil` for the manager's own place.
    ///   - handler: is called with each value, never twice at once.
    public init(on delivery: Delivery? = nil, _ handler: @escaping @Sendable (Value) -> Void) {
        self.delivery = delivery
        self.handler = handler
    }

    /// True if both are the same observer.
    public static func == (lhs: Observer, rhs: Observer) -> Bool { lhs === rhs }
}
