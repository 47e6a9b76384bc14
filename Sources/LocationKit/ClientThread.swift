import Glibc
import Synchronization
import SystemSupport

/// The one thread on which this process speaks with the service; there is none while nothing is asked.
///
/// It ends as soon as it has no job, no timer and no connection, and leaves nothing behind.
///
/// Ownership: the jobs are given by any thread and taken by this one, under a lock that is held to move them, and to
/// start the thread; the thread blocks in `poll`, so this is a `Mutex` and no actor. Everything else is the loop's,
/// which the thread alone sees.
package final class ClientThread: Sendable {
    package typealias Job = @Sendable (ClientLoop) -> Void

    package static let shared = ClientThread()

    private struct Running {
        let waker: Waker
        var jobs: [Job] = []
        /// The thread itself, once it runs.
        var thread: pthread_t?
    }

    private let running = Mutex<Running?>(nil)
    private let name: String
    private let start: Starter

    /// Starts a thread of that name, as `DetachedThread.start` does.
    package typealias Starter = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// - Parameter name: what the system calls the thread, at most 15 characters.
    package init(
        named name: String = "location-kit", start: @escaping Starter = { DetachedThread.start(named: $0, $1) }
    ) {
        self.name = name
        self.start = start
    }

    /// Runs the job on the thread, after those given before; starts the thread if there is none.
    ///
    /// - Returns: false if the system gives no thread or descriptor; the job does not run then.
    package func perform(_ job: @escaping Job) -> Bool {
        running.withLock { running in
            if Self.add(job, to: &running) { return true }
            guard let waker = Waker() else { return false }
            running = Running(waker: waker, jobs: [job])
            if start(name, { [self] in run(waker) }) { return true }
            running = nil
            return false
        }
    }

    /// Runs the job on the thread if there is one: for what ends something that could not be without it.
    package func performIfRunning(_ job: @escaping Job) {
        running.withLock { _ = Self.add(job, to: &$0) }
    }

    private static func add(_ job: @escaping Job, to running: inout Running?) -> Bool {
        guard running != nil else { return false }
        running?.jobs.append(job)
        running?.waker.wake()
        return true
    }

    /// True on the thread itself.
    package var isCurrent: Bool {
        running.withLock { $0?.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    private func run(_ waker: Waker) {
        running.withLock { $0?.thread = pthread_self() }
        let loop = ClientLoop()
        repeat {
            // Taken together with the bell, so that a job given from here on rings it again.
            let jobs = running.withLock { running in
                waker.drain()
                defer { running?.jobs = [] }
                return running?.jobs ?? []
            }
            // First, so that nobody hears what came while it was giving up.
            for job in jobs { job(loop) }
            loop.runSoon()
            loop.runConnections()
            // After what was there in time.
            loop.runTimers()
        } while loop.wait(for: waker) || !endsWithoutJobs()
    }

    /// From here on the next job starts another thread.
    private func endsWithoutJobs() -> Bool {
        running.withLock { running in
            guard running?.jobs.isEmpty ?? true else { return false }
            running = nil
            return true
        }
    }
}
