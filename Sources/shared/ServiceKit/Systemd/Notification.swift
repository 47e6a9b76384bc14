/// A service's state notifications to systemd, as in sd_notify(3).
package enum Notification: Sendable, Equatable {
    /// The service has started; after ``reloading(since:)``, it has reloaded.
    case ready
    /// The service reloads its configuration; `since` is CLOCK_MONOTONIC in microseconds, at the beginning.
    case reloading(since: UInt64)
    /// The service is about to end.
    case stopping
    /// The status, in one line for people; of a service that does not do what it is there for, it begins with
    /// ``degradedMark``.
    case status(String, isDegraded: Bool = false)
    /// The watchdog keep-alive.
    case watchdog

    /// By which programs see in a status that something is wrong, whatever its words.
    package static let degradedMark = "degraded: "

    /// The most characters of a status.
    static let longestStatus = 512

    /// The lines to send, without a line end after the last.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let start): "RELOADING=1\nMONOTONIC_USEC=\(start)"
        case .stopping: "STOPPING=1"
        case .status(let line, let isDegraded):
            "STATUS=\(isDegraded ? Self.degradedMark : "")\(Self.onOneLine(line))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// By scalar, because CR LF is one character.
    private static func onOneLine(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                line.prefix(longestStatus).unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
