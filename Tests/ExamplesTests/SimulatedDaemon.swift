import Foundation
import LocationKit
import TestSupport

/// A locationd of the test's own, which simulates a drive that begins in Quito.
final class SimulatedDaemon: Sendable {
    static let start = (latitude: -0.22, longitude: -78.5125)

    let socket: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    static func socket(in folder: TemporaryFolder) -> String { folder("run/locationd.sock") }

    /// Starts it and waits until it answers.
    init(in folder: TemporaryFolder? = nil) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        socket = Self.socket(in: folder)
        let configuration = """
            [[sources]]
            kind = "simulator"
            rate = 10
            latitude = \(Self.start.latitude)
            longitude = \(Self.start.longitude)
            """
        try configuration.write(toFile: folder("locationd.toml"), atomically: true, encoding: .utf8)
        process = try ChildProcess(
            Example.path(of: "locationd"),
            [
                "--config", folder("locationd.toml"), "--runtime-directory", folder("run"),
                "--state-directory", folder("state"),
            ])
        let deadline = ContinuousClock.now + .seconds(120)
        while await (try? LocationClient(socketPath: socket).status()) == nil {
            guard ContinuousClock.now < deadline else { throw Failure("locationd does not answer") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func end() async throws { try await process.end() }
}
