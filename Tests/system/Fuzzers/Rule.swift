import Glibc

/// Something that holds whatever the input is. Where it does not, the process ends, which libFuzzer takes for a crash
/// of the input at hand.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
    if !holds { broken(rule()) }
}

/// The value, which is there whatever the input is.
func require<Value>(_ value: Value?, _ rule: @autoclosure () -> String) -> Value {
    guard let value else { broken(rule()) }
    return value
}

/// What the work gives; it never fails, whatever the input is.
func require<Value>(_ rule: @autoclosure () -> String, _ work: () throws -> Value) -> Value {
    do {
        return try work()
    } catch {
        broken("\(rule()): \(error)")
    }
}

private func broken(_ rule: String) -> Never {
    say("==== broken: \(rule)")
    abort()
}

/// Tells the person who runs the fuzzer.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    write(STDERR_FILENO, line, line.count)
}
