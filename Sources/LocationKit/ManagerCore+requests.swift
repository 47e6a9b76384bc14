import LocationModel

extension ManagerCore {
    /// The greatest age that is asked for, seconds: a hundred years. The wire knows no infinity.
    private static let greatestAge = 3.2e9

    /// Requests a location; the answer is called once, by whichever thread brings it.
    ///
    /// An accuracy or age that is negative or not a number counts as none.
    func requestLocation(
        id: Int, timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        answer: @escaping OneShotRequest.Answer
    ) {
        let maximumAge = maximumAge > 0 ? min(maximumAge, Self.greatestAge) : 0
        input { state, now in
            guard timeout >= 0 else {
                let error = LocationError.invalidParameter("timeout", reason: "seconds, 0 or more")
                return state.outbox.append { answer(.failure(error)) }
            }
            let request = OneShotRequest(
                id: id, desiredAccuracy: meaningful(desiredAccuracy), earliest: now.advanced(bySeconds: -maximumAge),
                deadline: timeout.isFinite ? now.advanced(bySeconds: timeout) : nil, answer: answer)
            guard state.begin(request, maximumAge: maximumAge, at: now) else { return }
            state.hasCalledService = true
            let call = service.lastLocation(maximumAge: maximumAge) { [self] result in
                input { state, now in state.takeLast(result, maximumAge: maximumAge, for: id, at: now) }
            }
            state.setCall(call, ofRequest: id)
        }
    }

    func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location {
        let id = read { $0.newID() }
        return try await answer { answer in
            requestLocation(
                id: id, timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge, answer: answer)
        } onCancel: { [self] in
            input { state, _ in state.finishRequests(.failure(.cancelled)) { $0.id == id } }
        }
    }

    /// Waits for the one answer to what is begun, which `cancel` brings about if it is still awaited.
    func answer<Value: Sendable>(
        begin: (_ answer: @escaping @Sendable (Result<Value, LocationError>) -> Void) -> Void,
        onCancel cancel: @escaping @Sendable () -> Void
    ) async throws(LocationError) -> Value {
        guard !Task.isCancelled else { throw .cancelled }
        let result: Result<Value, LocationError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin { continuation.resume(returning: $0) }
                // A cancellation that came before there was anything to cancel.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }
}
