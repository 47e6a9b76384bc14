import Foundation
import Glibc
import OpenCoreLocation
import TestSupport

/// The built daemon with a simulated receiver, in a folder of its own.
final class WrapperDaemon: Sendable {
    private let folder: TemporaryFolder
    private let process: ChildProcess

    var backend: LocationBackend { .daemon(at: socket) }
    private var socket: String { folder("run/locationd.sock") }

    /// Starts it and waits until it answers.
    init() async throws {
        folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder("locationd.toml")))
        process = try ChildProcess(
            Self.program,
            [
                "--simulate", "--config", folder("locationd.toml"), "--runtime-directory", folder("run"),
                "--state-directory", folder("state"),
            ])
        try await eventually("the daemon answers") { backend.status() != nil }
    }

    func end() async throws {
        try await process.end()
    }

    /// The built program, which lies beside the tests.
    private static let program: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let tests = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (tests as NSString).deletingLastPathComponent + "/locationd"
    }()
}
