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

    /// The status that a watch begins with.
    mutating func openingStatus(of watch: Watch, at now: BootInstant) -> ServiceStatus {
        let status = status(for: watch.permission, hasDemand: watch.makesDemand, at: now)
        guard watch.receivesEstimates, announced.state != .tracking,
            estimates.predicting(at: now).contains(watch.agility)
        else { return status }
        // It is sent the next prediction, as those before it.
        estimates.owesStatus = true
        return status.kept()
    }

    /// The location that a watch begins with.
    mutating func openingLocation(of watch: Watch, at now: BootInstant) -> Location? {
        let fresh = freshLocation(for: watch.view, at: now)
        return watch.receivesEstimates ? fresh.map { estimates.estimate(of: $0, watch.agility) } : fresh
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
        let predictions = estimates.consumeDue(at: now)
        if !predictions.isEmpty, watches.needs.agilities.isEmpty {
            estimates.end()
        } else if !predictions.isEmpty {
            // Nobody sees two of them, so they have one number.
            let (number, reserve) = sequence.next()
            if let reserve { actions.append(.reserveSequences(upTo: reserve)) }
            for (agility, prediction) in predictions {
                var location = prediction
                location.sequence = number
                actions += deliver(prediction: location, to: agility, at: now)
            }
        }
        guard estimates.consumeOwedStatus(at: now) else { return actions }
        var ids: [WatchID] = []
        watches.forEach { id, watch in
            guard watch.receivesEstimates, !watch.isPaused else { return }
            watch.forgetAnchor()
            ids.append(id)
        }
        return actions + sendStatus(to: ids, at: now)
    }
}

extension ServiceStatus {
    /// What it is for a watch with predictions, which has a position.
    func kept() -> Self {
        var status = self
        (status.source, status.reason) = (.tracking, nil)
        return status
    }
}
