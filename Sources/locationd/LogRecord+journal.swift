import LocationServer
import Logging
import Systemd

/// A record as the journal has it. `MESSAGE` repeats the data, because it is all that `journalctl` shows by default.
extension LogRecord {
    var entry: JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", text)
        entry.add("PRIORITY", "\(level.priority.rawValue)")
        entry.add("SYSLOG_IDENTIFIER", "locationd")
        // That of system services.
        entry.add("SYSLOG_FACILITY", "3")
        if let event { entry.add("MESSAGE_ID", event.rawValue) }
        for datum in data { entry.add(JournalEntry.name(datum.key, of: "LOCATIOND"), datum.value) }
        if repeats > 0 { entry.add("LOCATIOND_REPEATED", "\(repeats)") }
        return entry
    }
}

extension Logger.Level {
    var priority: JournalPriority {
        switch self {
        case .trace, .debug: .debug
        case .info: .informational
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
