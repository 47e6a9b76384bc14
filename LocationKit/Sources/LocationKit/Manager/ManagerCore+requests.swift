@_spi(Programs) import LocationModel

extension ManagerCore {
    /// The greatest age to request, seconds: a hundred years. JSON has no infinity.
    private static let greatestAge = 3.2e9

    /// Requests a location; the answer is called once, on any thread.
    ///
    /// A negative or non-finite accuracy or age counts as none. An accuracy of 0, which no location has, is refused.
    func requestLocation(
        id: Int, timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        answer: @escaping OneShotRequest.Answer
    ) {
        let maximumAge = maximumAge > 0 ? min(maximumAge, Self.greatestAge) : 0
        update { state, now in
            guard timeout >= 0 else {
                let error = LocationError.invalidParameter("timeout", reason: "seconds, 0 or more")
                return state.outbox.append { answer(.failure(error)) }
            }
            guard desiredAccuracy != 0 else {
                let error = LocationError.invalidParameter("desiredAccuracy", reason: "metres, more than 0")
                return state.outbox.append { answer(.failure(error)) }
            }
            let request = OneShotRequest(
                id: id, desiredAccuracy: meaningful(desiredAccuracy), earliest: now.advanced(bySeconds: -maximumAge),
                deadline: timeout.isFinite ? now.advanced(bySeconds: timeout) : nil, answer: answer)
            guard state.beginRequest(request, maximumAge: maximumAge, at: now) else { return }
            state.hasCalledTransport = true
            let call = transport.lastLocation(maximumAge: maximumAge) { [self] result in
                update { state, now in state.applyLastLocation(result, maximumAge: maximumAge, for: id, at: now) }
            }
            state.setCall(call, ofRequest: id)
        }
    }

    func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location {
        let id = read { $0.newID() }
        return try await result { answer in
            requestLocation(
                id: id, timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge, answer: answer)
        } onCancel: { [self] in
            update { state, _ in state.finishRequests(.failure(.cancelled)) { $0.id == id } }
        }
    }

    /// Awaits the one answer to the request that `begin` starts. `cancel` has it answered, unless it has been.
    func result<Value: Sendable>(
        begin: (_ answer: @escaping @Sendable (Result<Value, LocationError>) -> Void) -> Void,
        onCancel cancel: @escaping @Sendable () -> Void
    ) async throws(LocationError) -> Value {
        guard !Task.isCancelled else { throw .cancelled }
        let result: Result<Value, LocationError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin { continuation.resume(returning: $0) }
                // The task was cancelled before there was a request to cancel.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }
}

extension ManagerCore {
    var authorizationStatus: AuthorizationStatus { status?.authorization ?? .notDetermined }

    var accuracyAuthorization: AccuracyAuthorization { status?.accuracy ?? .full }

    var isLocationServicesEnabled: Bool { status?.enabled ?? false }

    /// The service's status: the delivered one, else the last fetched one while it is fresh, else a newly fetched one.
    private var status: ServiceStatus? {
        if let known = read({ $0.knownStatus(at: transport.now, lifetime: transport.statusLifetime) }) { return known }
        return try? fetchStatus()
    }

    private func fetchStatus() throws(LocationError) -> ServiceStatus {
        let result = Result { () throws(LocationError) in try transport.status() }
        read { $0.fetchedStatus = (try? result.get(), transport.now) }
        return try result.get()
    }

    /// Requests authorization; the answer is called once, on any thread.
    func requestAuthorization(
        id: Int, for level: AuthorizationLevel, startUpdating: Bool,
        answer: @escaping PendingAuthorizationRequest.Answer
    ) {
        let present: AuthorizationStatus
        do throws(LocationError) {
            let status = read { $0.connection == .connected ? $0.status : nil }
            present = if let status { status.authorization } else { try fetchStatus().authorization }
        } catch {
            return answer(.failure(error))
        }
        update { state, _ in
            guard !state.answerIfDecided(level, startUpdating: startUpdating, by: present, answer) else { return }
            state.authorizationRequests[id] = PendingAuthorizationRequest(
                level: level, startUpdating: startUpdating, owner: self, answer: answer)
            sendAuthorizationRequest(id, &state)
        }
    }

    /// Requests full accuracy; the answer is called once, on any thread.
    func requestFullAccuracy(
        id: Int, purpose: String, answer: @escaping PendingAuthorizationRequest.Answer
    ) {
        let present: ServiceStatus
        do throws(LocationError) {
            let status = read { $0.connection == .connected ? $0.status : nil }
            present = if let status { status } else { try fetchStatus() }
        } catch {
            return answer(.failure(error))
        }
        let isAuthorized = AuthorizationLevel.whenInUse.isGranted(by: present.authorization)
        if isAuthorized, present.accuracy == .full { return answer(.success(true)) }
        update { state, _ in
            state.authorizationRequests[id] = PendingAuthorizationRequest(
                level: .whenInUse, fullAccuracyPurpose: purpose, owner: self, answer: answer)
            sendAuthorizationRequest(id, &state)
        }
    }

    func requestFullAccuracy(purpose: String) async throws(LocationError) -> Bool {
        let id = read { $0.newID() }
        return try await result { answer in
            requestFullAccuracy(id: id, purpose: purpose, answer: answer)
        } onCancel: { [self] in
            update { state, _ in state.finishAuthorization(id, .failure(.cancelled)) }
        }
    }

    /// Sends a pending request to the service.
    func sendAuthorizationRequest(_ id: Int, _ state: inout ManagerState) {
        guard let request = state.authorizationRequests[id] else { return }
        let call = transport.requestAuthorization(
            request.level, fullAccuracy: request.wantsFullAccuracy,
            purpose: request.fullAccuracyPurpose ?? configuration.purpose
        ) { [self] result, isLast in
            update { state, now in state.applyAuthorizationReply(result, isLast: isLast, for: id, at: now) }
        }
        state.authorizationRequests[id]?.markSent(as: call)
        state.hasCalledTransport = true
    }

    func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool {
        let id = read { $0.newID() }
        return try await result { answer in
            requestAuthorization(id: id, for: level, startUpdating: startUpdating, answer: answer)
        } onCancel: { [self] in
            update { state, _ in state.finishAuthorization(id, .failure(.cancelled)) }
        }
    }
}
