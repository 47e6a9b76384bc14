import Glibc
import LocationServer
import Logging
import Systemd

/// Where records go: to the journal with all their fields, or as lines to standard error.
struct LogOutput: Sendable {
    private let lines: LogLines
    /// `nil` if standard error is not the journal's.
    private let journal: JournalSocket?
    /// Lines begin with the priority, which the journal takes off again.
    private let isPrefixed: Bool

    /// - Parameters:
    ///   - descriptor: standard error.
    ///   - announced: `JOURNAL_STREAM` of the environment.
    ///   - path: the journal's socket. While it is gone or full, lines go to `descriptor`.
    init(descriptor: Int32 = STDERR_FILENO, announced: String?, path: String = JournalSocket.path) {
        isPrefixed = JournalStream.takes(descriptor, announced: announced)
        journal = isPrefixed ? JournalSocket(path: path) : nil
        lines = LogLines(descriptor, prefix: isPrefixed ? JournalPriority.warning.linePrefix : "warning: ")
    }

    /// What the process was started with.
    static var standard: LogOutput {
        LogOutput(announced: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }

    /// Never waits; a record that neither takes is lost.
    func write(_ record: LogRecord) {
        if journal?.send(record.entry) == true { return }
        lines.write("\(isPrefixed ? record.level.priority.linePrefix : "\(record.level): ")\(record.text)")
    }

    /// Says why the daemon ends before its time: a record for the journal, a plain line for a person.
    func write(failure reason: String) {
        guard isPrefixed else { return lines.write("locationd: \(reason)") }
        let event = ServiceEvent.failed
        write(LogRecord(event.level, "\(event.message)", ["reason": "\(reason)"], event: event))
    }
}
