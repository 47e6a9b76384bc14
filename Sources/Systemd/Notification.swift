/// What a service tells systemd of itself, in the words of sd_notify(3).
package enum Notification: Sendable, Equatable {
    /// It serves; after ``reloading(since:)``, again as before.
    case ready
    /// It reads its configuration again; `since` is CLOCK_MONOTONIC in microseconds, at the beginning.
    case reloading(since: UInt64)
    /// It is about to end.
    case stopping
    /// How it is doing, in one line for people.
    case status(String)
    /// It is alive.
    case watchdog

    /// A status takes no more characters than these.
    static let longestStatus = 512

    /// The lines that are sent, without an end of line after the last.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let start): "RELOADING=1\nMONOTONIC_USEC=\(start)"
        case .stopping: "STOPPING=1"
        case .status(let line): "STATUS=\(Self.onOneLine(line))"
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
