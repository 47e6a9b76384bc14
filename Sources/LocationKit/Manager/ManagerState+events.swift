import LocationModel
import Logging

/// What the service tells.
extension ManagerState {
    mutating func receive(_ event: TransportEvent, at now: BootInstant) {
        // What was on its way when the last wish ended is no news of the next connection.
        guard !toldWish.isEmpty else { return }
        switch event {
        case .connected: becomeConnected()
        case .disconnected(let error): becomeDisconnected(error)
        case .status(let status):
            becomeConnected()
            take(status)
        case .location(let location, let dropped):
            becomeConnected()
            if dropped > 0 { log(.debug, "locations were lost on the way", ["dropped": "\(dropped)"]) }
            take(location, at: now)
        case .heading(let heading):
            becomeConnected()
            take(heading)
        }
    }

    private mutating func becomeConnected() {
        guard connection != .connected else { return }
        connection = .connected
        for index in requests.indices { requests[index].hasHeard = true }
        connections.tellChange(.connected, &outbox)
        log(.info, "the location service is connected")
    }

    private mutating func becomeDisconnected(_ error: LocationError) {
        connection = .disconnected(error)
        status = nil
        obstacle = nil
        anchor = nil
        connections.tellChange(.disconnected(error), &outbox)
        reports.tellChange(.noLocation(error), &outbox)
        tell(error)
        // Whoever has heard the service waits for it to come back.
        finishRequests(.failure(error)) { !$0.hasHeard }
    }

    private mutating func take(_ status: ServiceStatus) {
        self.status = status
        askedStatus = nil
        statuses.tellChange(status, &outbox)
        authorizations.tellChange(status.authorization, &outbox)
        if let absence = LocationError(absenceIn: status) {
            reports.tellChange(.noLocation(absence), &outbox)
            // The next location is news, however near it is.
            anchor = nil
        } else {
            reports.forgetTold()
        }
        if let refusal = LocationError(refusalIn: status) { finishRequests(.failure(refusal)) { _ in true } }
    }

    private mutating func take(_ location: Location, at now: BootInstant) {
        quietSince = quietSince.map { _ in now }
        failures = 0
        let (isAnswer, isRefresh) = answerRequests(with: location)
        // The service may have been asked for more than this manager's filter admits, for the sake of a request.
        let isNews = isListening && settings.filter.admits(location, since: anchor)
        if isAnswer || isRefresh || isNews { self.location = location }
        guard isNews || isRefresh else { return }
        anchor = LocationFilter.Anchor(location)
        locations.tell(location, &outbox)
        reports.tell(.location(location), &outbox)
    }

    private mutating func take(_ heading: Heading) {
        guard isUpdatingHeading || headings.asks else { return }
        self.heading = heading
        failures = 0
        headings.tell(heading, &outbox)
    }
}
