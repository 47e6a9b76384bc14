import Glibc
import Machine

/// The signals that concern a screen, taken by a thread of their own so that they meet no half-drawn one.
enum TerminalSignals {
    /// From now on signals become requests. To be called before there is any other thread, which would take them.
    ///
    /// - Throws: that there can be no thread.
    static func become(requestsOn board: MonitorBoard) throws {
        var signals = set(of: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT])
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let waited = signals
        let isStarted = Thread.start(named: "signals") {
            var waited = waited
            while true {
                var number: Int32 = 0
                guard sigwait(&waited, &number) == 0 else { continue }
                switch number {
                case SIGWINCH, SIGCONT: board.request(.redraw)
                case SIGTSTP: board.request(.suspend)
                default: board.request(.end)
                }
            }
        }
        guard isStarted else { throw Failure(code: ExitCodes.failed, message: "no further thread is allowed") }
    }

    /// Stops the process, as Ctrl-Z does by itself, and returns when it is continued.
    static func suspend() {
        var stop = set(of: [SIGTSTP])
        pthread_sigmask(SIG_UNBLOCK, &stop, nil)
        raise(SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &stop, nil)
    }

    /// From now on a process in the background may set its terminal's modes back without being stopped for it.
    static func allowLeavingFromBackground() {
        var output = set(of: [SIGTTOU])
        pthread_sigmask(SIG_BLOCK, &output, nil)
    }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}
