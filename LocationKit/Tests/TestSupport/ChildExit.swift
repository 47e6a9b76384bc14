import Foundation
import Glibc
import Synchronization

/// What becomes of a child process, which a thread of its own waits for and reaps.
///
/// Ownership: shared by the test and the thread. The number is the process's as long as it is not reaped; the lock
/// keeps a signal from meeting another process that has the number afterwards.
final class ChildExit: Sendable {
    let id: pid_t
    /// Tells the exit code, or the signal's number made negative, once.
    let ended: AsyncStream<Int32>
    private let isReaped = Mutex(false)

    init(of child: pid_t) {
        id = child
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        Thread.detachNewThread { [self] in
            if let code = reap() { continuation.yield(code) }
            continuation.finish()
        }
    }

    func signal(_ number: Int32) {
        isReaped.withLock { isReaped in
            if !isReaped { _ = kill(id, number) }
        }
    }

    private func reap() -> Int32? {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { return nil }
        }
        return isReaped.withLock { isReaped in
            var status: Int32 = 0
            guard waitpid(id, &status, 0) == id else { return nil }
            isReaped = true
            return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        }
    }
}
