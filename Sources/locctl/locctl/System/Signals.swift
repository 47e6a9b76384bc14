import Glibc
@_spi(Programs) import LocationModel
import Synchronization
@_spi(Programs) import SystemSupport

/// Signals that a thread of their own handles, so that they interrupt nothing.
enum Signals {
    /// Handles each of these signals, including pending ones. To be called before any other thread is started, for that
    /// thread might receive them.
    ///
    /// - Throws: if no thread can be started.
    static func handle(_ numbers: [Int32], _ receive: @escaping @Sendable (Int32) -> Void) throws {
        var signals = set(of: numbers)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let waited = signals
        let isStarted = DetachedThread.start(named: "signals") {
            var waited = waited
            while true {
                var number: Int32 = 0
                if sigwait(&waited, &number) == 0 { receive(number) }
            }
        }
        guard isStarted else { throw Failure(code: ExitCodes.failed, message: "no further thread is allowed") }
    }

    /// Whether the signal was ignored when the program was started, as by `nohup`.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the program as the signal's default action does.
    static func terminate(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var freed = set(of: [number])
        pthread_sigmask(SIG_UNBLOCK, &freed, nil)
        raise(number)
        // The kernel does not deliver it to the first process of a container.
        _exit(128 + number)
    }

    static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}

/// Ends a running command in an orderly way after Ctrl-C, `kill` or the end of the terminal.
enum Interruption {
    /// Runs `body` with a waker that is woken when the program is asked to end.
    ///
    /// A request that comes ``Requests/patience`` after the first or later ends the program at once: a write that is
    /// blocked by its reader does not see the waker. SIGHUP does not count as a request, because it may be sent several
    /// times, and together with another signal.
    static func withWaker<Value>(_ body: (Waker) throws -> Value) throws -> Value {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let requests = Mutex(Requests())
        try Signals.handle([SIGINT, SIGTERM] + (Signals.isIgnored(SIGHUP) ? [] : [SIGHUP])) { number in
            if number != SIGHUP, requests.withLock({ $0.isOverdue(at: MachineClock.now) }) {
                Signals.terminate(by: number)
            }
            waker.wake()
        }
        return try body(waker)
    }

    /// When the program was asked to end.
    struct Requests {
        /// Seconds in which further signals belong to the first request: timeout(1) sends one to the program and one to
        /// its process group.
        static let patience = 0.5

        private var first: BootInstant?

        /// - Returns: true if the program was asked before, and has had the time to end in an orderly way.
        mutating func isOverdue(at now: BootInstant) -> Bool {
            guard let first else {
                first = now
                return false
            }
            return now.seconds(since: first) >= Self.patience
        }
    }
}
