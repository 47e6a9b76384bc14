import OpenCombine

/// The subscriber of one subscription.
///
/// Subscribers are not `Sendable`, but Combine has them called on any thread as long as no two calls overlap. The
/// subscription sees to that: it calls this only between ``DemandSlot/take()`` and ``DemandSlot/finish(_:)``, which its lock orders.
struct SendableSubscriber<Value>: @unchecked Sendable {
    /// Hands over a value; returns how many more are wanted.
    let receive: (Value) -> Subscribers.Demand

    init<Downstream: OpenCombine.Subscriber>(_ subscriber: Downstream) where Downstream.Input == Value {
        receive = { subscriber.receive($0) }
    }
}
