/// How much a message matters, by syslog's numbers: the lower, the more.
package enum JournalPriority: Int, Sendable {
    case emergency, alert, critical, error, warning, notice, informational, debug

    /// What a line on standard error begins with for the journal to take it at this priority.
    package var linePrefix: String { "<\(rawValue)>" }
}
