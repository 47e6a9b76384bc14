import Foundation
import Glibc
import TestSupport

/// A gpsd of the test's own, on a port that is nobody else's; it can be killed and come back.
final class GPSD {
    let port: UInt16
    private let folder: TemporaryFolder
    private let devices: [String]
    private let opensAtOnce: Bool
    private var process: Child
    /// Sockets it has while nobody is connected.
    private var ownSockets = 0

    /// - Parameter opensAtOnce: false leaves a receiver closed until somebody watches.
    init(_ devices: [String], opensAtOnce: Bool = true, port: UInt16? = nil) throws {
        self.port = try port ?? LoopbackPort.free()
        self.devices = devices
        self.opensAtOnce = opensAtOnce
        folder = try TemporaryFolder()
        process = try Self.start(self.port, folder, devices, opensAtOnce)
        try awaitListening()
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 30)
    }

    /// Ends it without a chance to say good-bye.
    func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait(within: 30)
    }

    /// Starts it again on the same port.
    func start() throws {
        process = try Self.start(port, folder, devices, opensAtOnce)
        try awaitListening()
    }

    /// Tells it to start over, as after a change of its configuration.
    func hangUp() { process.signal(SIGHUP) }

    /// Whether it has a receiver open.
    func hasOpen(_ path: String) -> Bool { open.contains(path) }

    /// How many programs are connected; to be asked of one that opens its receivers at once.
    var clients: Int { sockets - ownSockets }

    private var sockets: Int { open.count { $0.hasPrefix("socket:") } }

    /// What its descriptors stand for. The kernel's list of connections would tell the same, but leaves some out while
    /// others come and go.
    private var open: [String] {
        let folder = "/proc/\(process.pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    }

    /// Gives it one more receiver, over its control socket.
    func add(_ path: String) throws {
        let control = try UnixSocket(path: folder.file("control"))
        try control.write(Array("+\(path)\r\n".utf8))
        let answer = try eventually("gpsd answers", within: 60) { try control.read(forMilliseconds: 100) }
        guard String(decoding: answer, as: UTF8.self).hasPrefix("OK") else {
            throw Failure("gpsd does not take \(path): \(String(decoding: answer, as: UTF8.self))")
        }
    }

    private func awaitListening() throws {
        try eventually("gpsd listens", within: 60, details: { process.errors }) {
            if let code = process.exitCode { throw Failure("gpsd is missing, or ended: \(code) \(process.errors)") }
            return LoopbackPort.isListening(port)
        }
        guard opensAtOnce, let device = devices.last else { return }
        try eventually("gpsd opens \(device)", within: 60) { hasOpen(device) }
        ownSockets = sockets
    }

    private static func start(
        _ port: UInt16, _ folder: TemporaryFolder, _ devices: [String], _ opensAtOnce: Bool
    ) throws -> Child {
        // Not the shared memory of a gpsd that serves this machine; nobody reads it, so all tests may share one.
        try Child(
            "gpsd",
            ["-N", "-b"] + (opensAtOnce ? ["-n"] : []) + ["-S", "\(port)", "-F", folder.file("control")] + devices,
            environment: ["GPSD_SHM_KEY": "0x6C660002"])
    }
}
