import Glibc

/// The signals that concern a screen, taken by a thread of their own so that they meet no half-drawn one.
enum TerminalSignals {
    /// From now on signals become requests. To be called before there is any other thread, which would take them.
    ///
    /// - Throws: that there can be no thread.
    static func become(requestsOn board: MonitorSharedState) throws {
        try Signals.take([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) { number in
            switch number {
            case SIGWINCH, SIGCONT: board.request(.redraw)
            case SIGTSTP: board.request(.suspend)
            default: board.request(.end)
            }
        }
    }

    /// Stops the process, as Ctrl-Z does by itself, and returns when it is continued.
    static func suspend() {
        var stop = Signals.set(of: [SIGTSTP])
        pthread_sigmask(SIG_UNBLOCK, &stop, nil)
        raise(SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &stop, nil)
    }

    /// From now on a process in the background may set its terminal's modes back without being stopped for it.
    static func allowLeavingFromBackground() {
        var output = Signals.set(of: [SIGTTOU])
        pthread_sigmask(SIG_BLOCK, &output, nil)
    }
}
