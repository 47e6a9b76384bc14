import Foundation
package import Glibc
import Synchronization

/// A program that a test has started and whose output it can read while the program runs; it does not outlive its
/// object. The calls that wait block the thread. A ``ChildProcess`` is awaited instead, and may have an input.
///
/// Output goes into files, not through pipes: a pipe's end that another test's child inherits would keep it open.
package final class LoggedProcess: Sendable {
    package let pid: pid_t
    private let folder: TemporaryFolder
    /// How it ended, as waitpid(2) says it, once it is reaped. The lock keeps a signal from meeting another process
    /// that has the number afterwards.
    private let ending = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - program: a path, or a name to be looked for, daemons' directories included.
    ///   - environment: what differs from the test's own; `LOCATIOND_…` is not passed on.
    package init(_ program: String, _ arguments: [String], environment changes: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        let files = try ["output", "errors"].map { [folder] name in
            let file = open(folder(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            guard file >= 0 else { throw Failure("no file \(name): \(String(cString: strerror(errno)))") }
            return file
        }
        defer { for file in files { close(file) } }
        pid = try Spawn.start(
            [program] + arguments,
            environment: Spawn.environment.filter { !$0.key.hasPrefix("LOCATIOND_") }.merging(changes) { $1 },
            output: files[0], errors: files[1])
    }

    deinit {
        guard ending.withLock({ $0 == nil }) else { return }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    /// Whether it has ended with a core file.
    package var hasLeftCoreFile: Bool { ending.withLock { $0.map { $0 & 0x80 != 0 } ?? false } }

    package var output: String { text(of: folder("output")) }
    package var errors: String { text(of: folder("errors")) }

    package func signal(_ number: Int32) {
        ending.withLock { ending in
            if ending == nil { _ = kill(pid, number) }
        }
    }

    /// The exit code, or the negative number of the signal that ended it; `nil` while it runs.
    package var exitCode: Int32? {
        ending.withLock { ending in
            var status: Int32 = ending ?? 0
            guard ending != nil || waitpid(pid, &status, WNOHANG) == pid else { return nil }
            ending = status
            return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        }
    }

    /// Waits for the end.
    package func wait(within seconds: Double = 30) throws -> Int32 {
        try waitUntil("process \(pid) ends", within: seconds, details: { output + errors }) { exitCode }
    }
}
