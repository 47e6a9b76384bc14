import LocationModel
import Logging

/// What this program may know, and asking for it.
extension ManagerState {
    /// What is known of the service's state without asking: `.some(nil)` that it cannot be asked just now.
    ///
    /// - Parameter lifetime: seconds for which an answer is good.
    func knownStatus(at now: BootInstant, lifetime: Double) -> ServiceStatus?? {
        if connection == .connected, let status { return status }
        guard let askedStatus, now.seconds(since: askedStatus.moment) < lifetime else { return nil }
        return .some(askedStatus.answer)
    }

    /// Answers a request for authorization by what is decided, and starts updating if that was asked.
    ///
    /// - Returns: false if nothing is decided.
    mutating func answer(
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
    mutating func takeAuthorization(
        _ result: Result<ServiceStatus, LocationError>, isLast: Bool, for id: Int, at now: BootInstant
    ) {
        guard let request = authorizationRequests[id] else { return }
        switch result {
        case .failure(let error):
            guard authorizationRequests[id]?.survives(error, at: now) != true else { return }
            finishAuthorization(id, .failure(error))
        case .success(let status):
            askedStatus = (status, now)
            authorizationRequests[id]?.hear()
            guard isLast else { return }
            // The last words of a service that ends are that somebody has still to decide.
            if status.authorization == .notDetermined, status.authorizationPending,
                authorizationRequests[id]?.survives(.disconnected, at: now) == true
            {
                return
            }
            authorizationRequests[id] = nil
            let isDecided = answer(
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
