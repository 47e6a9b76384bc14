import CLinux
import Glibc

/// Polkit's text agent, which asks the person at this terminal to authenticate: without it polkit asks nobody there.
///
/// It ends with this value.
struct PolkitAgent: ~Copyable {
    private static let program = "/usr/bin/pkttyagent"
    /// Milliseconds until it is registered with polkit.
    private static let patience: Int32 = 5000

    private let process: pid_t

    /// Starts it, and waits until polkit knows it.
    ///
    /// - Returns: `nil` where it is not needed: without a terminal, for root, and where it is not installed. Polkit
    ///   then says why nobody is asked.
    init?() {
        guard geteuid() != 0, isatty(STDIN_FILENO) == 1, access(Self.program, X_OK) == 0,
            let (end, writer) = try? ServiceChild.makePipe()
        else { return nil }
        defer { close(end) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // It writes to the terminal itself; what it says of a missing polkit, the daemon says better.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, writer, Self.notification)
        let arguments = [
            Self.program, "--process", "\(getpid())", "--notify-fd", "\(Self.notification)", "--fallback",
        ]
        let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, Self.program, &actions, nil, words, clinux_environment())
        close(writer)
        guard code == 0 else { return nil }
        self.process = process
        // It closes the descriptor when it is registered, or when it fails.
        var entry = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, Self.patience)
    }

    /// The descriptor by which it says that it is registered.
    private static let notification: Int32 = 3

    deinit {
        kill(process, SIGTERM)
        kill(process, SIGCONT)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
