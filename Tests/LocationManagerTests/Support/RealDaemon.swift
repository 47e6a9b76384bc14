import Foundation
import Glibc
import LocationInterface
import LocationKit
import LocationModel
import Synchronization
import SystemSupport
import TestSupport

/// Empty parameters.
struct Nothing: Codable, Sendable {}

/// The built daemon with a receiver that never sends: locations come by its control socket alone.
final class RealDaemon: Sendable {
    private let folder: TemporaryFolder
    private let receiver: RealDaemonReceiver
    private let process = Mutex<ChildProcess?>(nil)

    var socket: String { folder("run/" + SocketName.location) }
    var principal: String { "uid:\(geteuid())" }

    /// Starts it and waits until it answers. Every user, root too, has to request authorization.
    init() async throws {
        folder = try TemporaryFolder()
        receiver = try RealDaemonReceiver()
        let configuration = """
            [delivery]
            linger = 0
            [[sources]]
            kind = "gpsd"
            port = \(receiver.port)
            silence-timeout = 600

            """
        try configuration.write(toFile: folder("locationd.toml"), atomically: true, encoding: .utf8)
        try "[[rules]]\neveryone = true\nauthorization = \"ask\"\n".write(
            toFile: folder("policy.toml"), atomically: true, encoding: .utf8)
        try await start()
    }

    func start() async throws {
        let child = try ChildProcess(
            Self.program,
            [
                "--config", folder("locationd.toml"), "--runtime-directory", folder("run"),
                "--state-directory", folder("state"),
            ])
        process.withLock { $0 = child }
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            do {
                _ = try await statistics()
                return
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    func end() async throws {
        try await process.withLock { $0.take() }?.end()
    }

    /// Kills it.
    func kill() async throws {
        guard let child = process.withLock({ $0.take() }) else { return }
        Glibc.kill(child.id, SIGKILL)
        _ = try await child.outcome(within: 60)
    }

    func statistics() async throws -> Statistics {
        try await call(AdminInterface.Method.getStatistics, as: StatisticsReply.self).statistics
    }

    /// Calls a method on the control socket.
    @discardableResult
    func call<Answer: Decodable & Sendable>(
        _ method: String, _ parameters: some Encodable & Sendable = Nothing(),
        as type: Answer.Type = Nothing.self
    ) async throws -> Answer {
        let control = folder("run/" + SocketName.control)
        return try await blocking {
            guard let waker = Waker() else { throw Failure("no descriptor is left") }
            return try VarlinkConnection(path: control, waker: waker).call(method, parameters, as: type, seconds: 20)
        }
    }

    /// The built program, which lies beside the tests.
    private static let program: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let tests = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (tests as NSString).deletingLastPathComponent + "/locationd"
    }()
}
