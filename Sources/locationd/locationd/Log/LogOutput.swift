import Glibc
import LocationServer
import Logging
import ServiceKit

/// Where records are written: to the journal with all their fields, or as lines to standard error.
struct LogOutput: Sendable {
    private let lines: LogLines
    /// `nil` if standard error is not connected to the journal.
    private let journal: JournalSocket?
    /// Whether lines begin with the priority, which the journal strips.
    private let isPrefixed: Bool

    /// - Parameters:
    ///   - descriptor: standard error.
    ///   - announced: the environment's `JOURNAL_STREAM`.
    ///   - path: the journal's socket. While it is gone or full, lines are written to `descriptor`.
    init(descriptor: Int32 = STDERR_FILENO, announced: String?, path: String = JournalSocket.path) {
        isPrefixed = JournalStream.isConnected(descriptor, announced: announced)
        journal = isPrefixed ? JournalSocket(path: path) : nil
        lines = LogLines(descriptor, prefix: isPrefixed ? JournalPriority.warning.linePrefix : "warning: ")
    }

    /// The output of the process as it was started.
    static var standard: LogOutput {
        LogOutput(announced: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }

    /// Never blocks; a record that neither output accepts is lost.
    func write(_ record: LogRecord) {
        if journal?.send(record.entry) == true { return }
        lines.write("\(isPrefixed ? record.level.priority.linePrefix : "\(record.level): ")\(record.text)")
    }

    /// Writes why the daemon ends prematurely: a record for the journal, a plain line for a terminal.
    func write(failure reason: String) {
        guard isPrefixed else { return lines.write("locationd: \(reason)") }
        let event = ServiceEvent.failed
        write(LogRecord(event.level, "\(event.message)", ["reason": "\(reason)"], event: event))
    }
}
