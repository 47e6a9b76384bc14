import Foundation
import Glibc
import Synchronization

/// A real gpsd of the test's own, on a port and a control socket that are nobody else's; it can be killed and come
/// back. The calls that wait block the thread.
package final class GPSD: Sendable {
    private struct State {
        var process: LoggedProcess
        /// Sockets it has while nobody is connected.
        var ownSockets = 0
    }

    /// Kept from one process to the next.
    package let port: UInt16
    private let folder: TemporaryFolder
    private let devices: [String]
    private let opensAtOnce: Bool
    private let state: Mutex<State>

    /// Returns when it listens, and has its receivers open if it is to open them at once.
    /// - Parameter opensAtOnce: false leaves a receiver closed until somebody watches.
    package init(_ devices: [String], opensAtOnce: Bool = true, port: UInt16? = nil) throws {
        self.port = try port ?? LoopbackPort.free()
        self.devices = devices
        self.opensAtOnce = opensAtOnce
        folder = try TemporaryFolder()
        state = Mutex(State(process: try Self.start(self.port, folder, devices, opensAtOnce)))
        try awaitListening()
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 30)
    }

    private var process: LoggedProcess { state.withLock { $0.process } }

    /// Ends it without a chance to say good-bye.
    package func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait(within: 30)
    }

    /// Starts it again on the same port.
    package func start() throws {
        let process = try Self.start(port, folder, devices, opensAtOnce)
        state.withLock { $0 = State(process: process) }
        try awaitListening()
    }

    /// Tells it to start over, as after a change of its configuration.
    package func hangUp() { process.signal(SIGHUP) }

    /// Whether it has a receiver open.
    package func hasOpen(_ path: String) -> Bool { open.contains(path) }

    /// How many programs are connected; to be asked of one that opens its receivers at once.
    package var clients: Int { sockets - state.withLock { $0.ownSockets } }

    private var sockets: Int { open.count { $0.hasPrefix("socket:") } }

    /// What its descriptors stand for. The kernel's list of connections would tell the same, but leaves some out while
    /// others come and go.
    private var open: [String] {
        let folder = "/proc/\(process.pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    }

    /// Gives it one more receiver over its control socket, as a hot-plug script does.
    package func add(_ path: String) throws {
        let control = try UnixSocket(path: folder("control"))
        try control.write(Array("+\(path)\r\n".utf8))
        let answer = try waitUntil("gpsd answers", within: 60) { try control.read(forMilliseconds: 100) }
        let text = String(decoding: answer, as: UTF8.self)
        // gpsd 3.22 says the one, 3.25 the other.
        guard text.hasPrefix("OK") || text.hasPrefix(#"{"class":"ACK"}"#) else {
            throw Failure("gpsd does not take \(path): \(text)")
        }
    }

    private func awaitListening() throws {
        let process = process
        try waitUntil("gpsd listens", within: 60, details: { process.errors }) {
            if let code = process.exitCode { throw Failure("gpsd is missing, or ended: \(code) \(process.errors)") }
            return LoopbackPort.isListening(port)
        }
        guard opensAtOnce, let device = devices.last else { return }
        try waitUntil("gpsd opens \(device)", within: 60) { hasOpen(device) }
        let sockets = sockets
        state.withLock { $0.ownSockets = sockets }
    }

    private static func start(
        _ port: UInt16, _ folder: TemporaryFolder, _ devices: [String], _ opensAtOnce: Bool
    ) throws -> LoggedProcess {
        // Not the shared memory of a gpsd that serves this machine; nobody reads it, so all tests may share one.
        try LoggedProcess(
            "gpsd",
            ["-N", "-b"] + (opensAtOnce ? ["-n"] : []) + ["-S", "\(port)", "-F", folder("control")] + devices,
            environment: ["GPSD_SHM_KEY": "0x6C660002"])
    }
}
