import LocationModel

/// Observers and loops come and go.
extension ManagerState {
    private var place: Delivery { configuration.delivery }

    mutating func add(_ observer: Observer<Location>) { locations.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<Heading>) { headings.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<LocationError>) { errors.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<ConnectionState>) { connections.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<AuthorizationStatus>) {
        authorizations.add(observer, place: place, present: status?.authorization, &outbox)
    }

    mutating func remove(_ observer: Observer<Location>) {
        if locations.removeObservers(&outbox, where: { $0 === observer }) { stopUpdating() }
    }

    mutating func remove(_ observer: Observer<Heading>) {
        if headings.removeObservers(&outbox, where: { $0 === observer }) { stopUpdatingHeading() }
    }

    mutating func remove(_ observer: Observer<AuthorizationStatus>) {
        authorizations.removeObservers(&outbox) { $0 === observer }
    }

    mutating func remove(_ observer: Observer<LocationError>) {
        errors.removeObservers(&outbox) { $0 === observer }
    }

    mutating func remove(_ observer: Observer<ConnectionState>) {
        connections.removeObservers(&outbox) { $0 === observer }
    }

    mutating func removeObservers() {
        if locations.removeObservers(&outbox) { stopUpdating() }
        if headings.removeObservers(&outbox) { stopUpdatingHeading() }
        authorizations.removeObservers(&outbox)
        errors.removeObservers(&outbox)
        connections.removeObservers(&outbox)
    }

    /// The manager is gone: nobody can stop updating any more, or remove an observer.
    mutating func retire() {
        isRetired = true
        removeObservers()
        stopUpdating()
        stopUpdatingHeading()
    }

    /// Why there is no location just now, as far as that is known.
    var presentReport: LocationReport? {
        switch connection {
        case .disconnected(let error): .noLocation(error)
        case .connected, nil: status.flatMap { LocationError(absenceIn: $0) }.map { .noLocation($0) }
        }
    }
}
