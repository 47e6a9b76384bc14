import Foundation
import Glibc

/// Starts programs by the system's own call.
///
/// Foundation's `Process` is not used: it copies whole directory entries, which reads beyond them and now and then
/// crashes when many descriptors are open.
enum Spawn {
    /// The test's own environment, in which daemons are found too.
    static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = (environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return environment
    }

    /// - Parameters:
    ///   - words: the program, found by the path, and its arguments.
    ///   - input: what it reads; `nil` for nothing.
    ///   - output: what it writes to.
    ///   - errors: what it writes errors to.
    /// - Returns: the number of the process, which the caller reaps.
    static func start(
        _ words: [String], environment: [String: String] = environment, input: Int32? = nil, output: Int32,
        errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // What other tests have open is not for this child to keep open.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap { Int32($0) }
        for descriptor in 3..<max(4096, (open?.max() ?? 0) + 64) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A worker thread blocks most signals, and its children would do so too: they have to hear when to end.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let arguments = (["/usr/bin/env"] + words).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, arguments, variables)
        guard code == 0 else { throw Failure("\(words) not started: \(String(cString: strerror(code)))") }
        return pid
    }
}
