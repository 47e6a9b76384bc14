@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// What a ``CLLocationManager`` was asked for and has delivered, and the calls that result from it: a pure value.
struct DelegateState: Sendable {
    private(set) var isUpdating = false
    private(set) var isUpdatingHeading = false
    /// Whether the delegate believes that updating is paused.
    private var isPaused = false
    private(set) var isMonitoringChanges = false
    /// The last significant change.
    private(set) var change: Location?
    var regions = DelegateRegions()
    /// The service applies the same filter; here it begins anew with each ``startUpdatingHeading()``.
    var headingFilter = HeadingFilter(degrees: 1)
    /// The last delivered heading.
    private var lastHeading: Heading?
    private(set) var calls = DelegateCalls()

    /// The pending request for a location.
    private var request: Int?
    private var lastRequest = 0
    /// True while the request waits for a decision about the authorization.
    private var requestAwaitsDecision = false
    /// The failures that are reported once, since the last location, or since updating was started.
    private var reportedFailures: Set<CLError.Code> = []
    private var lastAuthorization: Authorization?

    private struct Authorization: Hashable {
        let status: AuthorizationStatus
        let accuracy: AccuracyAuthorization
    }

    /// The last authorization that was delivered.
    var authorization: AuthorizationStatus? { lastAuthorization?.status }

    // MARK: Requests of the program

    mutating func startUpdating() {
        request = nil
        guard !isUpdating else { return }
        isUpdating = true
        reportedFailures = []
    }

    mutating func stopUpdating() {
        isUpdating = false
        isPaused = false
        request = nil
        if !isMonitoringChanges { calls.removeLocations() }
        if !isUpdatingHeading { calls.removeFailure() }
    }

    mutating func startUpdatingHeading() {
        guard !isUpdatingHeading else { return }
        isUpdatingHeading = true
        lastHeading = nil
        if !isUpdating { reportedFailures = [] }
    }

    mutating func stopUpdatingHeading() {
        isUpdatingHeading = false
        calls.removeHeading()
        if !isUpdating { calls.removeFailure() }
    }

    mutating func setChanges(_ isWanted: Bool) {
        guard isMonitoringChanges != isWanted else { return }
        isMonitoringChanges = isWanted
        if isWanted, !isUpdating, !isUpdatingHeading { reportedFailures = [] }
        if !isWanted, !isUpdating { calls.removeLocations() }
    }

    /// - Returns: the request's number; `nil` if a request is pending, or locations are being delivered.
    mutating func startRequest() -> Int? {
        guard !isUpdating, request == nil else { return nil }
        lastRequest += 1
        request = lastRequest
        requestAwaitsDecision = false
        return lastRequest
    }

    /// - Returns: the number of the request to repeat, because there is a decision.
    mutating func resumeRequest() -> Int? {
        guard requestAwaitsDecision, request != nil else { return nil }
        switch authorization {
        case nil, .notDetermined: return nil
        case .denied, .restricted, .authorizedWhenInUse, .authorizedAlways, .unknown: break
        }
        requestAwaitsDecision = false
        return request
    }

    /// - Returns: the number of the request if it has to be repeated.
    mutating func endRequest(_ number: Int, _ result: Result<Location, LocationError>) -> Int? {
        guard request == number else { return nil }
        if case .failure(.unauthorized(.notDetermined, _)) = result {
            requestAwaitsDecision = true
            // The decision may have been made while the answer was on its way.
            return resumeRequest()
        }
        request = nil
        switch result {
        case .success(let location), .failure(.timedOut(let location?)), .failure(.unavailable(_, let location?)):
            calls.add(location)
        case .failure(let error): calls.add(error)
        }
        return nil
    }

    /// The delegate has changed: the new one gets the authorization, and none of the pending values.
    mutating func changeDelegate() {
        calls.removeLocations()
        calls.removeHeading()
        calls.removeFailure()
        if lastAuthorization != nil { calls.addAuthorization() }
    }

    mutating func add(_ call: @escaping @Sendable (CLLocationManager, (any CLLocationManagerDelegate)?) -> Void) {
        calls.add(call)
    }

    mutating func next() -> DelegateCall? {
        calls.popFirst()
    }

    // MARK: Events

    mutating func receive(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization) {
        let authorization = Authorization(status: status, accuracy: accuracy)
        guard authorization != lastAuthorization else { return }
        lastAuthorization = authorization
        reportedFailures.remove(.denied)
        calls.addAuthorization()
    }

    mutating func receive(isPaused: Bool) {
        guard isUpdating, isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        calls.add { manager, delegate in
            if isPaused {
                delegate?.locationManagerDidPauseLocationUpdates(manager)
            } else {
                delegate?.locationManagerDidResumeLocationUpdates(manager)
            }
        }
    }

    mutating func receive(_ location: Location, _ accuracy: AccuracyAuthorization) {
        if let status = authorization { receive(status, accuracy) }
        guard isUpdating else { return }
        reportedFailures = []
        calls.add(location)
    }

    mutating func receive(change: Location) {
        guard isMonitoringChanges else { return }
        self.change = change
        reportedFailures = []
        calls.add(change)
    }

    /// A failure of the monitor, at each attempt of its own to connect: reported once, and not beside those of
    /// updating.
    mutating func receive(ofChanges error: LocationError) {
        guard isMonitoringChanges, !isUpdating, !isUpdatingHeading, isReported(error) else { return }
        if reportedFailures.insert(CLError(error).code).inserted { calls.add(error) }
    }

    mutating func receive(_ heading: Heading) {
        guard isUpdatingHeading, headingFilter.admits(heading, since: lastHeading) else { return }
        lastHeading = heading
        calls.add(heading)
    }

    /// A failure of updating, which the service's manager repeats at its pace while an outage lasts, as CoreLocation
    /// does: programs that give up count them. A denial is reported once.
    mutating func receive(_ error: LocationError) {
        guard isUpdating || isUpdatingHeading, isReported(error) else { return }
        let code = CLError(error).code
        if code == .denied, !reportedFailures.insert(code).inserted { return }
        calls.add(error)
    }

    /// CoreLocation reports nothing before there is a decision.
    private func isReported(_ error: LocationError) -> Bool {
        if case .unauthorized(.notDetermined, _) = error { false } else { true }
    }

    /// The connection is lost: the authorization stays as it is, or is unknown.
    mutating func connectionLost() {
        if lastAuthorization == nil { receive(.notDetermined, .full) }
    }
}
