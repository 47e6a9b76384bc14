import LocationModel

extension ManagerCore {
    var authorizationStatus: AuthorizationStatus { status?.authorization ?? .notDetermined }

    var accuracyAuthorization: AccuracyAuthorization { status?.accuracy ?? .full }

    /// The service's state, asked for if it does not tell it by itself and was not asked a moment ago.
    private var status: ServiceStatus? {
        if let known = read({ $0.knownStatus(at: service.now, lifetime: service.statusLifetime) }) { return known }
        return try? askStatus()
    }

    private func askStatus() throws(LocationError) -> ServiceStatus {
        let result = Result { () throws(LocationError) in try service.status() }
        read { $0.askedStatus = (try? result.get(), service.now) }
        return try result.get()
    }

    /// Requests authorization; the answer is called once, by whichever thread brings it.
    func requestAuthorization(
        id: Int, for level: AuthorizationLevel, startUpdating: Bool,
        answer: @escaping PendingAuthorizationRequest.Answer
    ) {
        let present: AuthorizationStatus
        do throws(LocationError) {
            let told = read { $0.connection == .connected ? $0.status : nil }
            present = if let told { told.authorization } else { try askStatus().authorization }
        } catch {
            return answer(.failure(error))
        }
        input { state, _ in
            guard !state.answer(level, startUpdating: startUpdating, by: present, answer) else { return }
            state.authorizationRequests[id] = PendingAuthorizationRequest(
                level: level, startUpdating: startUpdating, keeper: self, answer: answer)
            ask(id, &state)
        }
    }

    /// Has the service asked for a request that waits.
    func ask(_ id: Int, _ state: inout ManagerState) {
        guard let level = state.authorizationRequests[id]?.level else { return }
        let call = service.requestAuthorization(level, purpose: configuration.purpose) { [self] result, isLast in
            input { state, now in state.takeAuthorization(result, isLast: isLast, for: id, at: now) }
        }
        state.authorizationRequests[id]?.ask(by: call)
        state.hasCalledService = true
    }

    func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool {
        let id = read { $0.newID() }
        return try await answer { answer in
            requestAuthorization(id: id, for: level, startUpdating: startUpdating, answer: answer)
        } onCancel: { [self] in
            input { state, _ in state.finishAuthorization(id, .failure(.cancelled)) }
        }
    }
}
