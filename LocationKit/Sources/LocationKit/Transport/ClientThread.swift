import Glibc
import Synchronization
@_spi(Programs) public import SystemSupport

/// The one thread that communicates with the services; it exists only while there is something to do.
///
/// It ends as soon as it has no job, no timer and no connection.
///
/// Ownership: jobs are added by any thread and removed by this one, under a lock that is held only to move them and to
/// start the thread. It is a `Mutex` and no actor, because the thread blocks in `poll`. Everything else belongs to the
/// loop, which only this thread uses.
@_spi(Programs) public final class ClientThread: Sendable {
    @_spi(Programs) public typealias Job = @Sendable (ClientLoop) -> Void

    @_spi(Programs) public static let shared = ClientThread()

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
    @_spi(Programs) public typealias Starter =
        @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// - Parameter name: the name of the thread in the system, at most 15 characters.
    @_spi(Programs) public init(
        named name: String = "location-kit", start: @escaping Starter = { DetachedThread.start(named: $0, $1) }
    ) {
        self.name = name
        self.start = start
    }

    /// Runs the job on the thread, after earlier jobs; starts the thread if there is none.
    ///
    /// - Returns: false if the system allows no further thread or descriptor; the job does not run then.
    @_spi(Programs) public func perform(_ job: @escaping Job) -> Bool {
        running.withLock { running in
            if Self.add(job, to: &running) { return true }
            guard let waker = Waker() else { return false }
            running = Running(waker: waker, jobs: [job])
            if start(name, { [self] in run(waker) }) { return true }
            running = nil
            return false
        }
    }

    /// Runs the job on the thread if there is one: for jobs that end something, which could not exist without the
    /// thread.
    @_spi(Programs) public func performIfRunning(_ job: @escaping Job) {
        running.withLock { _ = Self.add(job, to: &$0) }
    }

    private static func add(_ job: @escaping Job, to running: inout Running?) -> Bool {
        guard running != nil else { return false }
        running?.jobs.append(job)
        running?.waker.wake()
        return true
    }

    /// True on the thread itself.
    @_spi(Programs) public var isCurrent: Bool {
        running.withLock { $0?.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    private func run(_ waker: Waker) {
        running.withLock { $0?.thread = pthread_self() }
        let loop = ClientLoop()
        repeat {
            // Jobs are removed together with the wake-up, so that a job added from here on causes another one.
            let jobs = running.withLock { running in
                waker.drain()
                defer { running?.jobs = [] }
                return running?.jobs ?? []
            }
            // Jobs come first: a job that cancels something takes effect before its pending input is delivered.
            for job in jobs { job(loop) }
            loop.runBeforeInput()
            loop.runConnections()
            // Time-outs come after the input that arrived in time.
            loop.runTimers()
        } while loop.wait(for: waker) || !endIfIdle()
    }

    /// From here on the next job starts another thread.
    private func endIfIdle() -> Bool {
        running.withLock { running in
            guard running?.jobs.isEmpty ?? true else { return false }
            running = nil
            return true
        }
    }
}

/// A value that only the client thread uses, held by objects that any thread uses.
///
/// Unchecked Sendable: the value can be reached only with a loop, and a loop exists only on the client thread. There is
/// one such thread at a time, and the lock of ``ClientThread`` orders an ended thread before the next. The value is
/// passed in by `sending`. The last holder, on whatever thread, deinitializes it; by then it holds nothing that belongs
/// to a loop.
final class ClientThreadConfined<Value>: @unchecked Sendable {
    private let value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    func callAsFunction(_ loop: ClientLoop) -> Value { value }
}
