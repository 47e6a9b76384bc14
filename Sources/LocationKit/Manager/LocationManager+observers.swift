public import LocationModel

extension LocationManager {
    /// Tells the observer each location from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Location>) { core.input { state, _ in state.add(observer) } }
    /// Tells the observer each heading from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Heading>) { core.input { state, _ in state.add(observer) } }
    /// Tells the observer the present authorization, as soon as the service has told it, and each change.
    public func addObserver(_ observer: Observer<AuthorizationStatus>) {
        core.input { state, _ in state.add(observer) }
    }
    /// Tells the observer each failure from now on.
    public func addObserver(_ observer: Observer<LocationError>) { core.input { state, _ in state.add(observer) } }
    /// Tells the observer whenever the connection to the service is lost and found again.
    public func addObserver(_ observer: Observer<ConnectionState>) { core.input { state, _ in state.add(observer) } }

    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Location>) { core.input { state, _ in state.remove(observer) } }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Heading>) { core.input { state, _ in state.remove(observer) } }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<AuthorizationStatus>) {
        core.input { state, _ in state.remove(observer) }
    }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<LocationError>) {
        core.input { state, _ in state.remove(observer) }
    }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<ConnectionState>) {
        core.input { state, _ in state.remove(observer) }
    }
    /// Removes every observer of every kind.
    public func removeObservers() { core.input { state, _ in state.removeObservers() } }
}
