import TestSupport

extension ContractSubject {
    /// Waits until something is so, looking often; what is awaited comes from another process, which rings no bell.
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

    /// Waits until something was heard that is as awaited.
    func eventually<Value>(
        _ what: String, _ received: ContractRecord<Value>, holds: ([Value]) -> Bool
    ) async throws {
        try await eventually(what, details: { "\(received.values)" }) { holds(received.values) }
    }
}
