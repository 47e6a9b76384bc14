import Glibc

/// Blocks the thread until `look` returns a value. It polls: what is awaited comes from other processes or from the
/// kernel, which send no notification. Where the thread belongs to others too, `eventually` is called instead; one name
/// for both does not do, because Swift takes the blocking one for a closure that awaits nothing.
///
/// - Parameters:
///   - what: what is awaited, for the failure's description.
///   - seconds: the longest time to wait.
///   - details: what there is instead, for the failure's description.
/// - Throws: a ``Failure`` when the time is over, or what `look` throws.
@discardableResult
package func waitUntil<Value>(
    _ what: String, within seconds: Double = 240, details: () -> String = { "" }, look: () throws -> Value?
) throws -> Value {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if let value = try look() { return value }
        guard ContinuousClock.now < deadline else { throw timeout(what, seconds, details()) }
        poll(nil, 0, 10)
    }
}

/// Blocks the thread until a condition holds.
package func waitUntil(
    _ what: String, within seconds: Double = 240, details: () -> String = { "" }, holds: () throws -> Bool
) throws {
    try waitUntil(what, within: seconds, details: details) { try holds() ? true : nil as Bool? }
}

/// Suspends the task until a condition holds, by polling; see `waitUntil` for the parameters.
package func eventually(
    _ what: String = "what is awaited", within seconds: Double = 240, details: () -> String = { "" },
    holds: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !holds() {
        guard ContinuousClock.now < deadline else { throw timeout(what, seconds, details()) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Suspends the task until the recorded values fulfil a condition.
package func eventually<Value>(
    _ what: String, _ recorder: ValueRecorder<Value>, holds: ([Value]) -> Bool
) async throws {
    try await eventually(what, details: { "\(recorder.values)" }) { holds(recorder.values) }
}

private func timeout(_ what: String, _ seconds: Double, _ details: String) -> Failure {
    Failure("\(what): not within \(seconds) s. \(details)")
}
