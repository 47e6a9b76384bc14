import Glibc
@_spi(Programs) import LocationInterface
import Synchronization
package import TestSupport

/// The built locationd as a process of the test's own, with its sockets, state and configuration in a temporary folder.
///
/// The initializer and the calls that wait block the thread; ``started(_:flags:in:)`` and ``end()`` suspend the task.
package final class DaemonProcess: Sendable {
    package let folder: TemporaryFolder
    private let current: Mutex<LoggedProcess>
    private let flags: [String]
    private let user: OtherUser?
    private let environment: [String: String]

    /// The process that was started last.
    package var process: LoggedProcess { current.withLock { $0 } }
    package var runtime: String { folder("run") }
    package var state: String { folder("state") }
    package var configuration: String { folder("locationd.toml") }
    package var socket: String { Self.socket(in: folder) }
    package var control: String { runtime + "/" + SocketName.control }
    /// What the running process has logged.
    package var log: String { process.errors }

    /// Starts it and waits until it listens.
    /// - Parameters:
    ///   - user: who runs it instead of who runs the tests.
    ///   - environment: what differs from the tests' own.
    package init(
        _ configuration: String = "", flags: [String] = [], in folder: TemporaryFolder? = nil,
        as user: OtherUser? = nil, environment: [String: String] = [:]
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.flags = flags
        self.user = user
        self.environment = environment
        try self.folder.write(configuration, to: "locationd.toml")
        if let user { for name in ["run", "state"] { try self.folder.makeFolder(name, owner: user.number) } }
        current = Mutex(try Self.start(self.folder, flags, user, environment))
        try awaitListening()
    }

    /// Starts it and waits until it listens.
    package static func started(
        _ configuration: String = "", flags: [String] = [], in folder: TemporaryFolder? = nil
    ) async throws -> DaemonProcess {
        try await blocking { try DaemonProcess(configuration, flags: flags, in: folder) }
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 10)
    }

    /// Where the socket of a daemon in a folder is.
    package static func socket(in folder: TemporaryFolder) -> String { folder("run/" + SocketName.location) }

    /// The flags that keep it inside its folder.
    package static func flags(in folder: TemporaryFolder) -> [String] {
        [
            "--config", folder("locationd.toml"), "--runtime-directory", folder("run"),
            "--state-directory", folder("state"),
        ]
    }

    /// Asks it to end, and waits until it has.
    /// - Returns: its exit code.
    @discardableResult
    package func stop(within seconds: Double = 15) throws -> Int32 {
        process.signal(SIGTERM)
        return try process.wait(within: seconds)
    }

    /// Asks it to end, and waits until it has.
    package func end() async throws {
        _ = try await blocking { [self] in try stop(within: 60) }
    }

    /// Ends it without a chance to say good-bye.
    package func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait(within: 30)
    }

    /// Starts it again where it was.
    package func start() throws {
        let process = try Self.start(folder, flags, user, environment)
        current.withLock { $0 = process }
        try awaitListening()
    }

    package func reconfigure(_ text: String) throws {
        try folder.write(text, to: "locationd.toml")
    }

    /// Waits for a line of the log.
    package func awaitLog(_ words: String, within seconds: Double = 30) throws {
        try waitUntil("the log says \"\(words)\"", within: seconds, details: { log }) { log.contains(words) }
    }

    /// Memory that is its own, in bytes.
    package var residentBytes: Int {
        let line = text(of: "/proc/\(process.pid)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split { !$0.isNumber }.first).flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }

    private func awaitListening() throws {
        let process = process
        try waitUntil("locationd listens", details: { process.errors }) {
            if let code = process.exitCode { throw Failure("locationd ended with \(code): \(process.errors)") }
            return process.errors.contains("listening")
        }
    }

    private static func start(
        _ folder: TemporaryFolder, _ flags: [String], _ user: OtherUser?, _ environment: [String: String]
    ) throws -> LoggedProcess {
        let flags = Self.flags(in: folder) + flags
        guard let user else { return try LoggedProcess(Products.daemon, flags, environment: environment) }
        return try LoggedProcess(
            "setpriv", user.command + [try Products.copied(to: folder).daemon] + flags, environment: environment)
    }
}
