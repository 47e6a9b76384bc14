import Glibc

/// Why the history cannot be written or read, in words.
struct HistoryFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// By the reason of the last failed call.
    static func system(_ verb: String, _ path: String) -> Self {
        Self("cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
