import Foundation
import Glibc
import TestSupport

/// A program that a test has started; it does not outlive its object.
///
/// Output goes into files, not through pipes: a pipe's end that another test's child inherits would keep it open.
final class Child {
    let pid: pid_t
    private let folder: TemporaryFolder
    private var ending: Int32?

    /// - Parameters:
    ///   - program: a path, or a name to be looked for, daemons' directories included.
    ///   - environment: what differs from the test's own; `LOCATIOND_…` is not passed on.
    init(_ program: String, _ arguments: [String], environment changes: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LOCATIOND_") }
        environment["PATH"] = (environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        environment.merge(changes) { $1 }
        pid = try Self.spawn(
            ["/usr/bin/env", program] + arguments, environment.map { "\($0)=\($1)" },
            output: folder.file("output"), errors: folder.file("errors"))
    }

    deinit {
        guard ending == nil else { return }
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    var output: String { text(of: folder.file("output")) }
    var errors: String { text(of: folder.file("errors")) }

    func signal(_ number: Int32) {
        if ending == nil { Glibc.kill(pid, number) }
    }

    /// The exit code, or the negative number of the signal that ended it; `nil` while it runs.
    var exitCode: Int32? {
        if let ending { return ending }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        ending = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        return ending
    }

    /// Waits for the end.
    func wait(within seconds: Double = 30) throws -> Int32 {
        try eventually("process \(pid) ends", within: seconds, details: { output + errors }) { exitCode }
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], output: String, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, path) in [(Int32(1), output), (2, errors)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        }
        // What other tests have open is not for this child to keep open.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap { Int32($0) }
        for descriptor in 3..<(open?.max() ?? 64) + 64 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        // A worker thread blocks most signals, and its children would do so too: they have to hear when they are to
        // end.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var pid: pid_t = 0
        let words = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        let code = posix_spawn(&pid, arguments[0], &actions, &attributes, words, variables)
        guard code == 0 else { throw Failure("\(arguments) not started: \(String(cString: strerror(code)))") }
        return pid
    }
}
