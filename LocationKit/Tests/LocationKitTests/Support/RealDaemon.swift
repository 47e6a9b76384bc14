import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import TestSupport

/// Empty parameters.
struct Nothing: Codable, Sendable {}

/// The built daemon with a receiver that never sends: locations come by its control socket alone.
final class RealDaemon: Sendable {
    private let receiver: LoopbackListener
    private let process: DaemonProcess

    var socket: String { process.socket }
    var principal: String { "uid:\(geteuid())" }

    /// Starts it and waits until it listens. Every user, root too, has to request authorization.
    init() async throws {
        let (folder, receiver) = (try TemporaryFolder(), try LoopbackListener())
        self.receiver = receiver
        try folder.write("[[rules]]\neveryone = true\nauthorization = \"ask\"\n", to: "policy.toml")
        process = try await DaemonProcess.started(
            """
            [delivery]
            linger = 0
            [[sources]]
            kind = "gpsd"
            port = \(receiver.port)
            silence-timeout = 600

            """, in: folder)
    }

    /// At once: the process's own end would wait for a shutdown, on a thread that other tests need.
    deinit { process.process.signal(SIGKILL) }

    func start() async throws { try await blocking { [self] in try process.start() } }
    func end() async throws { try await process.end() }
    func kill() async throws { try await blocking { [self] in try process.kill() } }

    func statistics() async throws -> Statistics {
        try await blocking { [self] in try process.statistics() }
    }

    /// Calls a method on the control socket.
    @discardableResult
    func call<Answer: Decodable & Sendable>(
        _ method: String, _ parameters: some Encodable & Sendable = Nothing(),
        as type: Answer.Type = Nothing.self
    ) async throws -> Answer {
        try await blocking { [self] in try process.administer(method, parameters, as: type) }
    }
}
