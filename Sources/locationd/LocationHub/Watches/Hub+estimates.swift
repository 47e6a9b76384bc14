import LocationEstimate
@_spi(Programs) import LocationModel

/// Estimates in place of fixes, for watches and requests that ask for them.
extension Hub {
    /// Lets the estimators take a fix of the followed receiver, if anybody asks for estimates.
    mutating func estimate(_ fix: Location) {
        var agilities = watches.needs.agilities
        let isRequested = requests.values.contains { $0.request.estimate && $0.view == .full }
        if isRequested, !agilities.contains(Agility(nil)) { agilities.append(Agility(nil)) }
        let followed = sources.receivers.all.first { $0.key == sources.receivers.followed }
        estimates.apply(fix, for: agilities, interval: followed?.epoch.interval)
    }

    /// The location that a request is answered with at once; see ``freshLocation(for:at:)``.
    mutating func freshLocation(for request: LocationRequest, _ view: View, at now: BootInstant) -> Location? {
        freshLocation(for: view, at: now).map { estimated($0, for: request, view) }
    }

    /// What a request is answered with where it sees this.
    func estimated(_ location: Location, for request: LocationRequest, _ view: View) -> Location {
        request.estimate && view == .full ? estimates.estimate(of: location, Agility(nil)) : location
    }

    /// Sends the predictions that are due, and the status once they have ended.
    mutating func predict(at now: BootInstant) -> [HubAction] {
        var actions: [HubAction] = []
        for (agility, prediction) in estimates.consumeDue(at: now) {
            var location = prediction
            let (number, reserve) = sequence.next()
            location.sequence = number
            if let reserve { actions.append(.reserveSequences(upTo: reserve)) }
            actions += deliver(prediction: location, to: agility, at: now)
        }
        guard estimates.consumeOwedStatus(at: now) else { return actions }
        var ids: [WatchID] = []
        watches.forEach { id, watch in
            if watch.receivesEstimates, !watch.isPaused { ids.append(id) }
        }
        return actions + sendStatus(to: ids, at: now)
    }
}
