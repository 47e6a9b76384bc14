package import LocationKit
package import OpenCombine

/// Publishes what observers of one kind are told; each subscription adds an observer of its own.
package struct ObserverPublisher<Value: Sendable & Equatable>: Publisher, Sendable {
    package typealias Output = Value
    package typealias Failure = Never

    /// What is told first; repetitions are not told then.
    let present: (@Sendable () -> Value)?
    /// Whether its observers ask for what they are told.
    let asks: Bool
    let add: @Sendable (Observer<Value>) -> Void
    let remove: @Sendable (Observer<Value>) -> Void

    package init(
        present: (@Sendable () -> Value)? = nil, asks: Bool = false,
        add: @escaping @Sendable (Observer<Value>) -> Void, remove: @escaping @Sendable (Observer<Value>) -> Void
    ) {
        self.present = present
        self.asks = asks
        self.add = add
        self.remove = remove
    }

    package func receive<Downstream: OpenCombine.Subscriber>(subscriber: Downstream)
    where Downstream.Input == Value, Downstream.Failure == Never {
        subscriber.receive(subscription: ObserverSubscription(self, to: SendableSubscriber(subscriber)))
    }
}
