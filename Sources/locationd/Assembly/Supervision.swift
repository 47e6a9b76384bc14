import LocationFormats
import LocationModel
import LocationServer
import Logging
import Synchronization
import SystemClock
import SystemSupport
import Systemd

/// What systemd is told of the daemon, and the watchdog's food. Without systemd it does nothing.
final class Supervision: Sendable {
    /// Where threads show that they are alive.
    let heartbeats: Heartbeats
    private let socket: NotificationSocket?
    private let toldStatus = Mutex("")
    private let missedThread = Mutex<String?>(nil)

    /// - Throws: what systemd's variables lack.
    init(_ environment: ServiceEnvironment) throws(SystemdError) {
        let timeout = try environment.watchdogTimeout()
        if let address = environment.notificationAddress {
            socket = try NotificationSocket(address)
        } else {
            socket = nil
        }
        // Half the time is what sd_watchdog_enabled(3) recommends.
        heartbeats = Heartbeats(interval: socket == nil ? nil : timeout.map { $0 / 2 })
    }

    /// Receives the server's summaries; `nil` without systemd.
    var summary: (@Sendable (ServiceSummary) -> Void)? {
        guard socket != nil else { return nil }
        return { [self] in sendStatus($0.line) }
    }

    /// Shows that the event loop is alive; returns seconds until the next time. `nil` without a watchdog.
    func heartbeat(logger: Logger) -> (@Sendable () -> Double)? {
        guard socket != nil, let interval = heartbeats.interval else { return nil }
        return { [self] in feed(logger: logger) ? interval : interval / 10 }
    }

    /// The daemon listens, and has read its configuration.
    func ready() { socket?.send(.ready, waits: true) }

    /// The daemon reads its configuration again; ``ready()`` follows.
    func reloading() { socket?.send(.reloading(since: MachineClock.monotonicMicroseconds), waits: true) }

    func stopping() { socket?.send(.stopping, waits: true) }

    /// The daemon cannot start, or go on.
    func failed(_ reason: String) { socket?.send(.status(reason), waits: true) }

    private func sendStatus(_ line: String) {
        toldStatus.withLock { told in
            guard line != told, socket?.send(.status(line), waits: false) == true else { return }
            told = line
        }
    }

    /// - Returns: false if a thread is missed, or systemd too busy to be told.
    private func feed(logger: Logger) -> Bool {
        let late = heartbeats.overdue()
        let isNews = missedThread.withLock { missed in
            defer { missed = late }
            return missed != late
        }
        guard let late else { return socket?.send(.watchdog, waits: false) ?? true }
        if isNews {
            logger.critical(
                "a thread does not answer; unless it does, the watchdog ends the daemon",
                metadata: ["thread": "\(late)"])
        }
        return false
    }
}

extension ServiceSummary {
    /// For `systemctl status`, which everybody may read: no more than everybody's own status tells.
    var line: String {
        let who = clients == 0 ? "no clients" : clients == 1 ? "1 client" : "\(clients) clients"
        let state = ([status.words] + marks).joined(separator: ", ")
        return ([state, who] + (status.reason.map { [$0] } ?? [])).joined(separator: "; ")
    }

    /// What is told is not what a receiver says.
    private var marks: [String] {
        guard status.source == .tracking, let location else { return [] }
        return (location.source.isSimulated ? ["simulated"] : []) + (location.source.isReplayed ? ["replayed"] : [])
    }
}

/// A source's condition as the log has it.
extension SourceCondition {
    /// - Parameter isNews: false for a step on the way of a source that is well.
    func log(to logger: Logger, source: String, isNews: Bool) {
        var metadata: Logger.Metadata = ["source": "\(source)", "state": "\(name)"]
        if let reason { metadata["reason"] = "\(reason)" }
        logger.log(.sourceChanged, at: level(isNews: isNews), metadata)
    }

    private var name: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .unavailable: "unavailable"
        }
    }

    private func level(isNews: Bool) -> Logger.Level {
        if case .unavailable = self { return .warning }
        return isNews ? .notice : .debug
    }
}
