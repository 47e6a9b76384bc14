@_spi(Programs) import LocationModel
import Logging

/// Events of the transport.
extension ManagerState {
    mutating func receive(_ event: TransportEvent, at now: BootInstant) {
        // An event that was on its way when the last interest ended does not belong to the next connection.
        guard !sentInterest.isEmpty else { return }
        switch event {
        case .connected: markConnected()
        case .disconnected(let error): markDisconnected(error, at: now)
        case .status(let status):
            markConnected()
            applyStatus(status)
        case .location(let location, let dropped):
            markConnected()
            if dropped > 0 {
                let (sum, overflow) = self.dropped.addingReportingOverflow(dropped)
                self.dropped = overflow ? .max : sum
                log(.debug, "locations were dropped", ["dropped": "\(dropped)"])
            }
            applyLocation(location, at: now)
        case .heading(let heading):
            markConnected()
            applyHeading(heading)
        }
    }

    private mutating func markConnected() {
        guard connection != .connected else { return }
        connection = .connected
        for index in requests.indices { requests[index].wasConnected = true }
        connections.publishChange(.connected, &outbox)
        log(.info, "the location service is connected")
    }

    private mutating func markDisconnected(_ error: LocationError, at now: BootInstant) {
        connection = .disconnected(error)
        status = nil
        anchor = nil
        connections.publishChange(.disconnected(error), &outbox)
        reports.publishChange(.noLocation(error), &outbox)
        reportPresentFailure(at: now)
        // Requests that were connected before wait for the service to come back.
        finishRequests(.failure(error)) { !$0.wasConnected }
    }

    private mutating func applyStatus(_ status: ServiceStatus) {
        self.status = status
        fetchedStatus = nil
        statuses.publishChange(status, &outbox)
        authorizations.publishChange(status.authorization, &outbox)
        if let absence = LocationError(absenceIn: status) {
            reports.publishChange(.noLocation(absence), &outbox)
            // The next location is delivered however near it is.
            anchor = nil
        } else {
            reports.forgetLastValues()
            if status.paused == true { anchor = nil }
        }
        if startsWhenAuthorized, AuthorizationLevel.whenInUse.isGranted(by: status.authorization) { startUpdating() }
        if let refusal = LocationError(refusalIn: status) { finishRequests(.failure(refusal)) { _ in true } }
    }

    private mutating func applyLocation(_ location: Location, at now: BootInstant) {
        quietSince = quietSince.map { _ in now }
        failures = 0
        let (isAnswer, isRefresh) = answerRequests(with: location)
        // While a request is pending, the service delivers more than this manager's filter admits.
        let isNew = isListening && settings.filter.admits(location, since: anchor)
        guard isNew || isAnswer || isRefresh else { return }
        publish(location)
    }

    /// Passes a location to the observers, each once: of the updates, or as the answer to a request.
    mutating func publish(_ location: Location) {
        self.location = location
        // The first location of later updates is delivered, however near it is.
        if isListening { anchor = LocationFilter.Anchor(location) }
        locations.publish(location, &outbox)
        reports.publish(.location(location), &outbox)
        guard let left = updatesLeft else { return }
        updatesLeft = left - 1
        if left <= 1 { stopUpdating() }
    }

    private mutating func applyHeading(_ heading: Heading) {
        guard isUpdatingHeading || headings.requestsUpdates else { return }
        self.heading = heading
        failures = 0
        headings.publish(heading, &outbox)
    }
}
