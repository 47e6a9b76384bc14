import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport

/// The built programs over a daemon that simulates a journey, with their calls recorded.
final class RecordedPrograms: Sendable {
    let folder: TemporaryFolder
    let recorder: DiskRecorder
    private let daemon: DaemonProcess

    /// Twenty fixes a second.
    private static let journey = """
        [[sources]]
        kind = "simulator"
        rate = 20
        latitude = -0.22
        longitude = -78.5125
        """

    init() async throws {
        folder = try TemporaryFolder()
        recorder = try await DiskRecorder(in: folder)
        daemon = try await DaemonProcess.started(Self.journey)
    }

    /// Runs a program until it has said something so often, and has it end. It is not run if there is a recording.
    func run(_ program: String, _ arguments: [String], until words: String, times: Int) async throws {
        guard !recorder.hasRecording else { return }
        let process = try LoggedProcess(
            Products.path(of: program),
            arguments + ["--daemon", daemon.control, "--include-simulated", "--log-level", "debug"],
            environment: recorder.environment)
        try await eventually("\(program) works", details: { process.errors }) {
            process.errors.components(separatedBy: words).count > times
        }
        process.signal(SIGTERM)
        let code = try await blocking { try process.wait() }
        guard code == 0 else { throw Failure("\(program) ended with \(code): \(process.errors)") }
    }
}
