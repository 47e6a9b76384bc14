import Glibc
import SystemSupport

/// Signals that a thread of their own takes, so that they cut nothing off.
enum Signals {
    /// From now on each of these is told, also one that was waiting to be. To be called before there is any other
    /// thread, which would take them.
    ///
    /// - Throws: that there can be no thread.
    static func take(_ numbers: [Int32], _ receive: @escaping @Sendable (Int32) -> Void) throws {
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

    /// Whether whoever started this program wants it to live on, as `nohup` does.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the program as if the signal had never been taken.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var freed = set(of: [number])
        pthread_sigmask(SIG_UNBLOCK, &freed, nil)
        raise(number)
        // The first process of a container is deaf to it.
        _exit(128 + number)
    }

    static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}
