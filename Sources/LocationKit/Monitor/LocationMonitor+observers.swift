public import LocationModel

extension LocationMonitor {
    /// Tells the observer each region's state and what happens at its border, from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<RegionReport>) { core.add(observer, to: \.reports) }
    /// Tells the observer each significant change from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Location>) { core.add(observer, to: \.locations) }
    /// Tells the observer each visit that begins or ends, from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Visit>) { core.add(observer, to: \.visits) }
    /// Tells the observer the service's present state, as soon as that has told it, and each change.
    public func addObserver(_ observer: Observer<ServiceStatus>) {
        core.add(observer, to: \.statuses) { $0.status }
    }
    /// Tells the observer each failure from now on: that the service may not tell, cannot be reached, or refuses.
    public func addObserver(_ observer: Observer<LocationError>) { core.add(observer, to: \.errors) }

    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<RegionReport>) { core.remove(observer, from: \.reports) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Location>) { core.remove(observer, from: \.locations) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Visit>) { core.remove(observer, from: \.visits) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<ServiceStatus>) { core.remove(observer, from: \.statuses) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<LocationError>) { core.remove(observer, from: \.errors) }
    /// Removes every observer of every kind.
    public func removeObservers() { core.input { $0.removeObservers() } }
}

extension LocationMonitor {
    /// Each region's state and what happens at its border, from now on; monitors while it is alive. Ends when its task
    /// is cancelled and never by an error. A loop that is slow finds the newest 10,000.
    public var regionReports: AsyncStream<RegionReport> { core.sequence(\.reports) }
    /// Each significant change from now on; monitors while it is alive. A loop that is slow finds the newest 256.
    public var significantLocations: AsyncStream<Location> { core.sequence(\.locations) }
    /// Each visit that begins or ends, from now on; monitors while it is alive. A loop that is slow finds the newest 256.
    public var visits: AsyncStream<Visit> { core.sequence(\.visits) }
    /// The service's present state, as soon as it has told it, and each change; monitors nothing by itself.
    public var statuses: AsyncStream<ServiceStatus> { core.sequence(\.statuses) { $0.status } }
}

private typealias AudiencePath<Value: Sendable & Equatable> = WritableKeyPath<MonitorState, SubscriberList<Value>>
    & Sendable

extension MonitorCore {
    fileprivate func add<Value>(
        _ observer: Observer<Value>, to path: any AudiencePath<Value>,
        present: (MonitorState) -> Value? = { _ in nil }
    ) {
        input { state in
            let (place, value) = (state.configuration.delivery, present(state))
            state.change(path) { $0.add(observer, place: place, present: value, &$1) }
        }
    }

    fileprivate func remove<Value>(_ observer: Observer<Value>, from path: any AudiencePath<Value>) {
        input { $0.change(path) { audience, outbox in audience.removeObservers(&outbox) { $0 === observer } } }
    }
}

extension MonitorState {
    fileprivate mutating func change<Value>(
        _ path: any AudiencePath<Value>, _ change: (inout SubscriberList<Value>, inout Outbox) -> Void
    ) {
        var audience = self[keyPath: path]
        change(&audience, &outbox)
        self[keyPath: path] = audience
    }
}
