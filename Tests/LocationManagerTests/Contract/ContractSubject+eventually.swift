import TestSupport

extension ContractSubject {
    /// Polls until a condition holds; the change comes from another process, which sends no notification.
    func eventually(
        _ what: String, within seconds: Double = 60, details: () -> String = { "" }, holds: () async throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try await !holds() {
            guard ContinuousClock.now < deadline else {
                throw Failure("\(what): not within \(seconds) s. \(details())")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until the delivered values fulfil a condition.
    func eventually<Value>(
        _ what: String, _ received: ContractRecord<Value>, holds: ([Value]) -> Bool
    ) async throws {
        try await eventually(what, details: { "\(received.values)" }) { holds(received.values) }
    }
}
