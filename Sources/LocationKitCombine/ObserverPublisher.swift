public import LocationKit
public import LocationModel
public import OpenCombine

/// Publishes what observers of one kind are told; each subscription adds an observer of its own.
package struct ObserverPublisher<Value: Sendable & Equatable>: Publisher, Sendable {
    package typealias Output = Value
    package typealias Failure = Never

    /// What is told first; repetitions are not told then.
    let present: (@Sendable () -> Value)?
    /// Whether its observers ask for what they are told.
    let requestsUpdates: Bool
    let add: @Sendable (Observer<Value>) -> Void
    let remove: @Sendable (Observer<Value>) -> Void

    package init(
        present: (@Sendable () -> Value)? = nil, requestsUpdates: Bool = false,
        add: @escaping @Sendable (Observer<Value>) -> Void, remove: @escaping @Sendable (Observer<Value>) -> Void
    ) {
        self.present = present
        self.requestsUpdates = requestsUpdates
        self.add = add
        self.remove = remove
    }

    package func receive<Downstream: OpenCombine.Subscriber>(subscriber: Downstream)
    where Downstream.Input == Value, Downstream.Failure == Never {
        subscriber.receive(subscription: ObserverSubscription(self, to: SendableSubscriber(subscriber)))
    }
}

/// Publishers of what a location manager tells.
///
/// A subscription begins with its subscriber's first demand and lasts until it is cancelled: an error of the service
/// ends none, and is a value of ``errorPublisher``. While a subscriber wants nothing, or is busy, the newest value waits
/// for it and the others are passed over. Values come where the manager's configuration lets handlers run, one after the
/// other. A pipeline that is made on the main actor needs `Delivery.main` there: its closures belong to that actor, and
/// Swift ends a program that runs them elsewhere. A subscription keeps its manager; `removeObservers()` silences it.
extension LocationProviding {
    /// Each location from now on; asks for locations as long as the subscription lasts.
    public var locationPublisher: AnyPublisher<Location, Never> {
        ObserverPublisher(requestsUpdates: true, add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
            .eraseToAnyPublisher()
    }

    /// Each heading from now on; asks for headings as long as the subscription lasts.
    public var headingPublisher: AnyPublisher<Heading, Never> {
        ObserverPublisher(requestsUpdates: true, add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
            .eraseToAnyPublisher()
    }

    /// The present authorization at once, then each change; asks for no location.
    public var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
        ObserverPublisher(
            present: { self.authorizationStatus },
            add: { self.addObserver($0) }, remove: { self.removeObserver($0) }
        ).eraseToAnyPublisher()
    }

    /// Each failure from now on; asks for no location.
    public var errorPublisher: AnyPublisher<LocationError, Never> {
        ObserverPublisher(add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
            .eraseToAnyPublisher()
    }

    /// Each loss and each return of the service from now on; asks for no location.
    public var connectionPublisher: AnyPublisher<ConnectionState, Never> {
        ObserverPublisher(add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
            .eraseToAnyPublisher()
    }
}
