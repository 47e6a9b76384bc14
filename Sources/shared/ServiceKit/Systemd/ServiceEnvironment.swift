import Glibc

/// The environment variables with which systemd starts a service (sd_notify(3), sd_listen_fds(3),
/// sd_watchdog_enabled(3)).
package struct ServiceEnvironment: Sendable {
    private static let names = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    private let variables: [String: String]
    private let pid: Int32

    /// - Parameters:
    ///   - variables: the values by name.
    ///   - pid: the service's own process; variables that are meant for another process are ignored.
    package init(_ variables: [String: String], pid: Int32 = getpid()) {
        self.variables = variables
        self.pid = pid
    }

    /// Reads the variables and removes them from the process' environment, so that they are used only once.
    ///
    /// To be called before there are other threads, which might read the environment meanwhile.
    package static func readAndClear() -> ServiceEnvironment {
        var variables: [String: String] = [:]
        for name in names {
            guard let value = getenv(name) else { continue }
            variables[name] = String(cString: value)
            unsetenv(name)
        }
        return ServiceEnvironment(variables)
    }

    /// The address for state notifications: a path, or a name after `@`; `nil` if systemd wants none.
    package var notificationAddress: String? {
        variables["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a service manager has started the process: it wants notifications, or passes sockets.
    package var isBelowServiceManager: Bool {
        notificationAddress != nil || variables["LISTEN_FDS"] != nil
    }

    /// Seconds without a keep-alive after which systemd ends the service; `nil` if it never does.
    ///
    /// - Throws: that the variable is not a number.
    package func watchdogTimeout() throws(SystemdError) -> Double? {
        guard let text = variables["WATCHDOG_USEC"], try isForThisProcess("WATCHDOG_PID", unlessAbsent: true) else {
            return nil
        }
        guard let microseconds = UInt64(text), microseconds > 0 else { throw Self.malformed("WATCHDOG_USEC", text) }
        return Double(microseconds) / 1e6
    }

    /// The names of the sockets that systemd passes, in the order of their descriptors, which begin with 3.
    ///
    /// - Throws: that systemd's variables contradict each other.
    package func socketNames() throws(SystemdError) -> [String] {
        guard let text = variables["LISTEN_FDS"], try isForThisProcess("LISTEN_PID", unlessAbsent: false) else {
            return []
        }
        guard let count = UInt16(text) else { throw Self.malformed("LISTEN_FDS", text) }
        guard let list = variables["LISTEN_FDNAMES"] else { return Array(repeating: "unknown", count: Int(count)) }
        let names = count == 0 && list.isEmpty ? [] : list.split(separator: ":", omittingEmptySubsequences: false)
        guard names.count == Int(count) else {
            throw SystemdError("LISTEN_FDNAMES=\(list) does not name as many sockets as LISTEN_FDS=\(text) has")
        }
        return names.map(String.init)
    }

    private func isForThisProcess(_ name: String, unlessAbsent: Bool) throws(SystemdError) -> Bool {
        guard let text = variables[name] else { return unlessAbsent }
        guard let number = Int32(text) else { throw Self.malformed(name, text) }
        return number == pid
    }

    private static func malformed(_ name: String, _ text: String) -> SystemdError {
        SystemdError("\(name)=\(text) in the environment is not what systemd sets; start the daemon without it")
    }
}
