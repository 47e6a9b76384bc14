/// The priority of a message, by syslog's numbers: the lower, the more important.
package enum JournalPriority: Int, Sendable {
    case emergency, alert, critical, error, warning, notice, informational, debug

    /// The prefix of a line on standard error by which the journal recognizes this priority.
    package var linePrefix: String { "<\(rawValue)>" }
}
