import ClientTestSupport
import Glibc
import ProgramTestSupport

/// The built locationd-bridge over a daemon, on a port and a socket of its own.
final class BridgeProcess {
    let port: UInt16
    let socket: String
    private(set) var process: LoggedProcess
    private let flags: [String]
    private let folder: TemporaryFolder

    /// Returns when clients can connect.
    /// - Parameters:
    ///   - configuration: the text of its configuration file.
    ///   - authorizesTests: the tests' own user, who runs the daemon, has no right of its own over TCP; false leaves it
    ///     so.
    init(_ daemon: DaemonProcess, _ configuration: String = "", authorizesTests: Bool = true) throws {
        folder = try TemporaryFolder()
        let file = try folder.write(configuration, to: "bridge.toml")
        port = UInt16(try LoopbackPort.free())
        socket = folder("gpsd.sock")
        flags = [
            "--config", file, "--daemon", daemon.control, "--gpsd", "127.0.0.1:\(port)", "--gpsd-socket", socket,
            "--log-level", "debug",
        ]
        process = try LoggedProcess(Products.path(of: "locationd-bridge"), flags)
        try awaitListening()
        guard authorizesTests else { return }
        let outcome = try daemon.locctl("authorize", "uid:\(getuid())")
        guard outcome.code == 0 else { throw Failure("not authorized: \(outcome)") }
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 10)
    }

    /// Kills it and starts it again.
    func restart() throws {
        process.signal(SIGKILL)
        _ = try process.wait()
        process = try LoggedProcess(Products.path(of: "locationd-bridge"), flags)
        try awaitListening()
    }

    private func awaitListening() throws {
        try waitUntil("locationd-bridge listens", details: { [process] in process.errors }) { [process] in
            if let code = process.exitCode { throw Failure("it ended with \(code): \(process.errors)") }
            return process.errors.contains("listening")
        }
    }

    /// A program written for gpsd.
    /// - Parameter uid: whose it is; `nil` for the test's own user.
    func gpspipe(_ arguments: String..., uid: UInt32? = nil) throws -> LoggedProcess {
        // It writes into a file, and would keep lines back.
        let command = ["stdbuf", "-oL", "gpspipe"] + arguments + ["127.0.0.1:\(port)"]
        guard let uid else { return try LoggedProcess(command[0], Array(command.dropFirst())) }
        return try LoggedProcess("setpriv", ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + command)
    }
}
