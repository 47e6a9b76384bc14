import LocationModel
import Logging

/// Somebody waits for the decision whether this program may know the position.
struct PendingAuthorizationRequest {
    typealias Answer = @Sendable (Result<Bool, LocationError>) -> Void

    let level: AuthorizationLevel
    /// Whether to start updating once any level is granted.
    let startUpdating: Bool
    let answer: Answer
    /// Who is to answer: without a manager or a call nobody else keeps it until the service is asked again.
    let owner: ManagerCore
    /// The asking; `nil` while the service is gone.
    var call: (any CancellableCall)?
    /// When the service is to be asked again after it was gone; `nil` while it is asked.
    private(set) var retry: BootInstant?
    private var delay = 1.0
    private var isAcknowledged = false

    init(level: AuthorizationLevel, startUpdating: Bool, owner: ManagerCore, answer: @escaping Answer) {
        self.level = level
        self.startUpdating = startUpdating
        self.owner = owner
        self.answer = answer
    }

    /// The service knows of the request.
    mutating func markAcknowledged() {
        isAcknowledged = true
        delay = 1
    }

    /// A decision may take days, over which a daemon is restarted: a service that knew of the request is asked again,
    /// after 1 s and then half a minute at most.
    ///
    /// - Returns: false if the error is to be told.
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

    /// The service is asked again.
    mutating func markSent(as call: any CancellableCall) {
        self.call = call
        retry = nil
    }
}

/// What this program may know, and asking for it.
extension ManagerState {
    /// What is known of the service's state without asking: `.some(nil)` that it cannot be asked just now.
    ///
    /// - Parameter lifetime: seconds for which an answer is good.
    func knownStatus(at now: BootInstant, lifetime: Double) -> ServiceStatus?? {
        if connection == .connected, let status { return status }
        guard let fetchedStatus, now.seconds(since: fetchedStatus.moment) < lifetime else { return nil }
        return .some(fetchedStatus.answer)
    }

    /// Answers a request for authorization by what is decided, and starts updating if that was asked.
    ///
    /// - Returns: false if nothing is decided.
    mutating func answerIfDecided(
        _ level: AuthorizationLevel, startUpdating: Bool, by status: AuthorizationStatus,
        _ answer: @escaping PendingAuthorizationRequest.Answer
    ) -> Bool {
        switch status {
        case .notDetermined, .unknown: return false
        case .denied, .restricted: break
        case .authorizedWhenInUse, .authorizedAlways: if startUpdating { self.startUpdating() }
        }
        outbox.append { answer(.success(level.isGranted(by: status))) }
        return true
    }

    /// One of the service's answers to a request for authorization.
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
            // The last words of a service that ends are that somebody has still to decide.
            if status.authorization == .notDetermined, status.authorizationPending,
                authorizationRequests[id]?.scheduleRetry(after: .disconnected, at: now) == true
            {
                return
            }
            authorizationRequests[id] = nil
            let isDecided = answerIfDecided(
                request.level, startUpdating: request.startUpdating, by: status.authorization, request.answer)
            if !isDecided { outbox.append { request.answer(.success(false)) } }
            log(.info, "authorization is decided", ["authorization": "\(status.authorization)"])
        }
    }

    /// The requests for which the service is to be asked again.
    func authorizationRequestsDue(at now: BootInstant) -> [Int] {
        authorizationRequests.filter { $0.value.retry.map { $0 <= now } ?? false }.map(\.key).sorted()
    }

    /// Ends a request that was not decided.
    mutating func finishAuthorization(_ id: Int, _ result: Result<Bool, LocationError>) {
        guard let request = authorizationRequests.removeValue(forKey: id) else { return }
        outbox.append {
            request.call?.cancel()
            request.answer(result)
        }
    }
}
