import LocationFormats
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ServiceKit
import Synchronization
@_spi(Programs) import SystemSupport

/// Notifies systemd of the daemon's state and keeps its watchdog alive. Without systemd it does nothing.
final class Supervision: Sendable {
    /// Where threads send their heartbeats.
    let heartbeats: Heartbeats
    private let socket: NotificationSocket?
    private let sentStatus = Mutex("")
    private let missedThread = Mutex<String?>(nil)

    /// - Throws: which of systemd's variables is invalid.
    init(_ environment: ServiceEnvironment) throws(SystemdError) {
        let timeout = try environment.watchdogTimeout()
        if let address = environment.notificationAddress {
            socket = try NotificationSocket(address)
        } else {
            socket = nil
        }
        // sd_watchdog_enabled(3) recommends half the time-out.
        heartbeats = Heartbeats(interval: socket == nil ? nil : timeout.map { $0 / 2 })
    }

    /// Receives the server's summaries; `nil` without systemd.
    var summary: (@Sendable (ServiceSummary) -> Void)? {
        guard socket != nil else { return nil }
        return { [self] in sendStatus($0.line) }
    }

    /// Sends the event loop's heartbeat; returns the seconds until the next one. `nil` without a watchdog.
    func heartbeat(logger: Logger) -> (@Sendable () -> Double)? {
        guard socket != nil, let interval = heartbeats.interval else { return nil }
        return { [self] in feed(logger: logger) ? interval : interval / 10 }
    }

    /// Notifies systemd that the daemon listens and has read its configuration.
    func ready() { socket?.send(.ready, waits: true) }

    /// Notifies systemd of a reload; ``ready()`` follows.
    func reloading() { socket?.send(.reloading(since: MachineClock.monotonicMicroseconds), waits: true) }

    func stopping() { socket?.send(.stopping, waits: true) }

    /// Notifies systemd that the daemon cannot start or continue.
    func failed(_ reason: String) { socket?.send(.status(reason), waits: true) }

    private func sendStatus(_ line: String) {
        sentStatus.withLock { sent in
            guard line != sent, socket?.send(.status(line), waits: false) == true else { return }
            sent = line
        }
    }

    /// - Returns: false if a thread's heartbeat is missing, or systemd could not be notified.
    private func feed(logger: Logger) -> Bool {
        let late = heartbeats.overdue()
        let isNew = missedThread.withLock { missed in
            defer { missed = late }
            return missed != late
        }
        guard let late else { return socket?.send(.watchdog, waits: false) ?? true }
        if isNew {
            logger.critical(
                "a thread does not respond; unless it does, the watchdog kills the daemon",
                metadata: ["thread": "\(late)"])
        }
        return false
    }
}

extension ServiceSummary {
    /// The line for `systemctl status`, which every user may read: it has no more than the status that every client
    /// gets, and how many connections are open and requests wait, without whose. The login message reads the third
    /// part.
    var line: String {
        let who = clients == 0 ? "no clients" : clients == 1 ? "1 client" : "\(clients) clients"
        let state = ([status.words] + marks).joined(separator: ", ")
        return [state, who, waiting, status.reason].compactMap(\.self).joined(separator: "; ")
    }

    /// `nil` if no request waits.
    private var waiting: String? {
        switch waitingRequests {
        case 0: nil
        case 1: "1 request for authorization waits"
        default: "\(waitingRequests) requests for authorization wait"
        }
    }

    /// Marks a location that is not measured by a receiver.
    private var marks: [String] {
        guard status.source == .tracking, let location else { return [] }
        return location.source.marks
    }
}

/// Logs a source's condition.
extension SourceCondition {
    /// - Parameter isNew: false for an ordinary step of a source without problems.
    func log(to logger: Logger, source: String, isNew: Bool) {
        var metadata: Logger.Metadata = ["source": "\(source)", "state": "\(name)"]
        if let reason { metadata["reason"] = "\(reason)" }
        logger.log(.sourceChanged, at: level(isNew: isNew), metadata)
    }

    private var name: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .unavailable: "unavailable"
        }
    }

    private func level(isNew: Bool) -> Logger.Level {
        if case .unavailable = self { return .warning }
        return isNew ? .notice : .debug
    }
}
