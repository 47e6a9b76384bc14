@_spi(Programs) import LocationModel
import Logging

/// A request for authorization that waits for a decision.
struct PendingAuthorizationRequest {
    typealias Answer = @Sendable (Result<Bool, LocationError>) -> Void

    let level: AuthorizationLevel
    /// The purpose of a request for full accuracy; `nil` for a request for the level alone.
    let fullAccuracyPurpose: String?
    /// Whether to start updating once any level is granted.
    let startUpdating: Bool
    let answer: Answer
    /// Keeps the core alive: between two calls to the service nothing else may hold it.
    let owner: ManagerCore
    /// The call to the service; `nil` while the service cannot be reached.
    var call: (any CancellableCall)?
    /// When to call the service again after it was gone; `nil` while the call is open.
    private(set) var retry: BootInstant?
    private var delay = 1.0
    private var isAcknowledged = false

    init(
        level: AuthorizationLevel, fullAccuracyPurpose: String? = nil, startUpdating: Bool = false,
        owner: ManagerCore, answer: @escaping Answer
    ) {
        self.level = level
        self.fullAccuracyPurpose = fullAccuracyPurpose
        self.startUpdating = startUpdating
        self.owner = owner
        self.answer = answer
    }

    /// Whether full accuracy is requested too.
    var wantsFullAccuracy: Bool { fullAccuracyPurpose != nil }

    /// True if the status does not answer the request, though no other will follow: the service shuts down.
    func isUnanswered(by status: ServiceStatus) -> Bool {
        if wantsFullAccuracy, status.fullAccuracyPending == true { return true }
        return status.authorizationPending && !level.isDecided(by: status.authorization)
    }

    /// The service has accepted the request.
    mutating func markAcknowledged() {
        isAcknowledged = true
        delay = 1
    }

    /// Schedules another call if the service had accepted the request. A decision may take days, in which the daemon
    /// may be restarted; the delay grows from 1 s to 30 s.
    ///
    /// - Returns: false if the error ends the request.
    mutating func scheduleRetry(after error: LocationError, at now: BootInstant) -> Bool {
        switch error {
        case .disconnected, .daemonNotRunning:
            guard isAcknowledged else { return false }
            call = nil
            retry = now.advanced(bySeconds: delay)
            delay = min(30, 2 * delay)
            return true
        default: return false
        }
    }

    /// The service is called again.
    mutating func markSent(as call: any CancellableCall) {
        self.call = call
        retry = nil
    }
}

extension AuthorizationLevel {
    /// True if the status is an answer to a request for this level; `authorizedWhenInUse` is none to one for `always`.
    fileprivate func isDecided(by status: AuthorizationStatus) -> Bool {
        switch status {
        case .notDetermined, .unknown: false
        case .authorizedWhenInUse: self == .whenInUse
        case .denied, .restricted, .authorizedAlways: true
        }
    }
}

/// Authorization: its status, and requests for it.
extension ManagerState {
    /// The service's status as far as it is known without a call; `.some(nil)` if the last call failed a moment ago.
    ///
    /// - Parameter lifetime: seconds for which a fetched status may be reused.
    func knownStatus(at now: BootInstant, lifetime: Double) -> ServiceStatus?? {
        if connection == .connected, let status { return status }
        guard let fetchedStatus, now.seconds(since: fetchedStatus.moment) < lifetime else { return nil }
        return .some(fetchedStatus.answer)
    }

    /// Answers a request for authorization if there is a decision, and starts updating if the request wants that and
    /// any level is granted.
    ///
    /// - Returns: false if there is no decision. The service has none about `always` while only `whenInUse` is granted,
    ///   until it says that a request for it is no longer pending.
    mutating func answerIfDecided(
        _ level: AuthorizationLevel, startUpdating: Bool, by status: AuthorizationStatus,
        _ answer: @escaping PendingAuthorizationRequest.Answer
    ) -> Bool {
        if startUpdating, AuthorizationLevel.whenInUse.isGranted(by: status) { self.startUpdating() }
        guard level.isDecided(by: status) else { return false }
        if startUpdating, !isUpdating, !isRetired { startsWhenAuthorized = true }
        outbox.append { answer(.success(level.isGranted(by: status))) }
        return true
    }

    /// Applies a reply of the service to a request for authorization.
    mutating func applyAuthorizationReply(
        _ result: Result<ServiceStatus, LocationError>, isLast: Bool, for id: Int, at now: BootInstant
    ) {
        guard let request = authorizationRequests[id] else { return }
        switch result {
        case .failure(let error):
            guard authorizationRequests[id]?.scheduleRetry(after: error, at: now) != true else { return }
            finishAuthorization(id, .failure(error))
        case .success(let status):
            fetchedStatus = (status, now)
            authorizationRequests[id]?.markAcknowledged()
            guard isLast else { return }
            // A service that shuts down ends the call with the status "pending".
            if request.isUnanswered(by: status),
                authorizationRequests[id]?.scheduleRetry(after: .disconnected, at: now) == true
            {
                return
            }
            authorizationRequests[id] = nil
            if request.wantsFullAccuracy {
                let isGranted = request.level.isGranted(by: status.authorization) && status.accuracy == .full
                log(.info, "full accuracy is decided", ["accuracy": "\(status.accuracy)"])
                return outbox.append { request.answer(.success(isGranted)) }
            }
            let isDecided = answerIfDecided(
                request.level, startUpdating: request.startUpdating, by: status.authorization, request.answer)
            if !isDecided { outbox.append { request.answer(.success(false)) } }
            log(.info, "authorization is decided", ["authorization": "\(status.authorization)"])
        }
    }

    /// The requests whose retry is due.
    func authorizationRequestsDue(at now: BootInstant) -> [Int] {
        authorizationRequests.filter { $0.value.retry.map { $0 <= now } ?? false }.map(\.key).sorted()
    }

    /// Ends a request without a decision.
    mutating func finishAuthorization(_ id: Int, _ result: Result<Bool, LocationError>) {
        guard let request = authorizationRequests.removeValue(forKey: id) else { return }
        outbox.append {
            request.call?.cancel()
            request.answer(result)
        }
    }
}
