import Glibc
import TestSupport

/// Waits until something is so, looking often; what is awaited comes from other processes, which ring no bell.
///
/// - Parameters:
///   - what: what is awaited, for the failure's words.
///   - seconds: how long at most.
///   - details: what there is instead, told if the time is over.
/// - Throws: a ``Failure`` when the time is over, or what `look` throws.
@discardableResult
func eventually<Value>(
    _ what: String, within seconds: Double = 60, details: () -> String = { "" }, look: () throws -> Value?
) throws -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    while true {
        if let value = try look() { return value }
        guard clock.now < deadline else {
            throw Failure("\(what): not within \(seconds) s. \(details())")
        }
        poll(nil, 0, 10)
    }
}

/// Waits until a condition holds.
func eventually(
    _ what: String, within seconds: Double = 60, details: () -> String = { "" }, holds: () throws -> Bool
) throws {
    try eventually(what, within: seconds, details: details) { try holds() ? true : nil as Bool? }
}
