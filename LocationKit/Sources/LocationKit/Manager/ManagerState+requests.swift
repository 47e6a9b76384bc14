@_spi(Programs) import LocationModel
import Logging

/// Requests for one location, and refreshing, which uses such a request.
extension ManagerState {
    /// Adds a request, or answers it immediately if possible.
    ///
    /// - Returns: true if the last known location has to be requested first.
    mutating func beginRequest(_ request: OneShotRequest, maximumAge: Double, at now: BootInstant) -> Bool {
        var request = request
        request.wasConnected = connection == .connected
        log(.debug, "a location is requested", ["request": "\(request.id)"])
        if let error = presentRefusal {
            finish(request, .failure(error))
            return false
        }
        if maximumAge > 0, let location, location.age(at: now) <= maximumAge {
            guard !request.accepts(location) else {
                finish(request, .success(location))
                return false
            }
            request.consider(location)
        }
        request.isFetchingLast = maximumAge > 0
        requests.append(request)
        return request.isFetchingLast
    }

    mutating func setCall(_ call: any CancellableCall, ofRequest id: Int) {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        requests[index].call = call
    }

    /// Why a request would fail now, as far as that is known.
    private var presentRefusal: LocationError? {
        switch connection {
        // The connection has just been lost: the next attempt may restore it.
        case .disconnected(.disconnected), nil: nil
        case .disconnected(let error): error
        case .connected: status.flatMap { LocationError(refusalIn: $0) }
        }
    }

    /// Applies the last known location, or the lack of one, to the request that asked for it.
    mutating func applyLastLocation(
        _ result: Result<Location, LocationError>, maximumAge: Double, for id: Int, at now: BootInstant
    ) {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        requests[index].isFetchingLast = false
        requests[index].call = nil
        guard case .success(let last) = result, last.age(at: now) <= maximumAge else { return }
        let isNew = location.map { $0.monotonicTime < last.monotonicTime } ?? true
        guard requests[index].accepts(last) else {
            requests[index].consider(last)
            if isNew { location = last }
            return
        }
        finish(requests.remove(at: index), .success(last))
        // Observers have received what the manager knew before.
        if isNew { publish(last) }
    }

    /// - Returns: whether the location answers a request of the program, and whether it answers the refreshing.
    mutating func answerRequests(with location: Location) -> (isAnswer: Bool, isRefresh: Bool) {
        // With reduced accuracy one location is valid for minutes: there is no newer one.
        let isNewest = status?.accuracy == .reduced
        let isAnswer = { (request: OneShotRequest) in
            request.accepts(location) && (isNewest || location.monotonicTime > request.earliest)
        }
        let answered = requests.filter(isAnswer)
        requests.removeAll(where: isAnswer)
        for index in requests.indices { requests[index].consider(location) }
        for request in answered { finish(request, .success(location)) }
        return (answered.contains { $0.answer != nil }, answered.contains { $0.answer == nil })
    }

    mutating func finishRequests(_ result: Result<Location, LocationError>, where isMeant: (OneShotRequest) -> Bool) {
        let finished = requests.filter(isMeant)
        requests.removeAll(where: isMeant)
        for request in finished { finish(request, result) }
    }

    /// Answers a request that has been removed from the pending ones.
    private mutating func finish(_ request: OneShotRequest, _ result: Result<Location, LocationError>) {
        log(.debug, "a request for a location ends", ["request": "\(request.id)"])
        if let call = request.call { outbox.append { call.cancel() } }
        if let answer = request.answer { outbox.append { answer(result) } }
    }

    /// The time given as ``nextWakeUp`` has come.
    mutating func deadlineReached(at now: BootInstant) {
        let isOver = { (request: OneShotRequest) in request.deadline.map { $0 <= now } ?? false }
        let late = requests.filter(isOver)
        requests.removeAll(where: isOver)
        for request in late { finish(request, .failure(LocationError(timeOutIn: status, best: request.best))) }
        guard let refreshMoment, refreshMoment <= now else { return }
        quietSince = now
        let refreshing = OneShotRequest(
            id: newID(), desiredAccuracy: settings.requiredAccuracy, earliest: now,
            deadline: now.advanced(bySeconds: Self.refreshTimeout), answer: nil)
        _ = beginRequest(refreshing, maximumAge: 0, at: now)
    }
}

extension ManagerState {
    /// Seconds that refreshing waits for a location, as the service does.
    private static let refreshTimeout = 30.0

    /// When to request a location unless one comes before.
    var refreshMoment: BootInstant? {
        guard let interval = configuration.refreshInterval, interval > 0, let quietSince,
            !requests.contains(where: { $0.answer == nil })
        else { return nil }
        return quietSince.advanced(bySeconds: interval)
    }

    /// Starts the refresh interval when locations are observed, and ends it when they are not.
    mutating func updateRefreshing(at now: BootInstant) {
        if locations.isEmpty, !reports.requestsUpdates {
            quietSince = nil
            finishRequests(.failure(.cancelled)) { $0.answer == nil }
        } else if quietSince == nil {
            quietSince = now
        }
    }
}
