#if Combine
    @_spi(Programs) public import LocationKit
    @_spi(Programs) public import LocationModel
    public import OpenCombine

    /// Publishes the values of observers of one kind; each subscription adds an observer of its own.
    @_spi(Programs) public struct ObserverPublisher<Value: Sendable & Equatable>: Publisher, Sendable {
        @_spi(Programs) public typealias Output = Value
        @_spi(Programs) public typealias Failure = Never

        /// The first value to publish; if there is one, repeated values are dropped.
        let present: (@Sendable () -> Value)?
        /// Whether the observers request updates.
        let requestsUpdates: Bool
        let add: @Sendable (Observer<Value>) -> Void
        let remove: @Sendable (Observer<Value>) -> Void

        @_spi(Programs) public init(
            present: (@Sendable () -> Value)? = nil, requestsUpdates: Bool = false,
            add: @escaping @Sendable (Observer<Value>) -> Void, remove: @escaping @Sendable (Observer<Value>) -> Void
        ) {
            self.present = present
            self.requestsUpdates = requestsUpdates
            self.add = add
            self.remove = remove
        }

        @_spi(Programs) public func receive<Downstream: OpenCombine.Subscriber>(subscriber: Downstream)
        where Downstream.Input == Value, Downstream.Failure == Never {
            subscriber.receive(subscription: ObserverSubscription(self, to: SendableSubscriber(subscriber)))
        }
    }

    /// Publishers of a location manager's values.
    ///
    /// A subscription starts with its subscriber's first demand and lasts until it is cancelled: an error of the
    /// service does not end it, but is a value of ``errorPublisher``. While a subscriber has no demand, or is busy, the
    /// newest value waits for it and older ones are dropped. Values are published where the manager's configuration
    /// delivers, one after the other. A pipeline that is built on the main actor needs `Delivery.main` there: its
    /// closures are isolated to that actor, and Swift ends a program that runs them elsewhere. A subscription retains
    /// its manager; `removeObservers()` ends its values.
    ///
    /// OpenCombine has neither `Merge` nor `CombineLatest`. In place of `a.merge(with: b)` for values of one type,
    /// write `[a, b].publisher.flatMap { $0 }`; in place of `a.combineLatest(b)`, keep the newest value of each in two
    /// `CurrentValueSubject`s, and read both when either changes.
    extension LocationProviding {
        /// Each location from now on; requests locations as long as the subscription lasts.
        public var locationPublisher: AnyPublisher<Location, Never> {
            ObserverPublisher(requestsUpdates: true, add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
                .eraseToAnyPublisher()
        }

        /// The last location that the program received immediately, `nil` before there is one, then each location;
        /// requests locations as long as the subscription lasts.
        public var currentLocationPublisher: AnyPublisher<Location?, Never> {
            Deferred { self.locationPublisher.map(Optional.some).prepend(self.location) }.eraseToAnyPublisher()
        }

        /// Each heading from now on; requests headings as long as the subscription lasts.
        public var headingPublisher: AnyPublisher<Heading, Never> {
            ObserverPublisher(requestsUpdates: true, add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
                .eraseToAnyPublisher()
        }

        /// The current authorization immediately, then each change; requests no location.
        public var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
            ObserverPublisher(
                present: { self.authorizationStatus },
                add: { self.addObserver($0) }, remove: { self.removeObserver($0) }
            ).eraseToAnyPublisher()
        }

        /// Each failure from now on, an outage that lasts again every ten seconds; requests no location. The other
        /// publishers have states, which are published when they change.
        public var errorPublisher: AnyPublisher<LocationError, Never> {
            ObserverPublisher(add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
                .eraseToAnyPublisher()
        }

        /// Each loss and restoration of the connection from now on; requests no location.
        public var connectionPublisher: AnyPublisher<ConnectionState, Never> {
            ObserverPublisher(add: { self.addObserver($0) }, remove: { self.removeObserver($0) })
                .eraseToAnyPublisher()
        }
    }
#endif
