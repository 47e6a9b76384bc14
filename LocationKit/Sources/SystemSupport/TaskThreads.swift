import Dispatch
import Synchronization

/// Threads for the tasks of a program that should sleep while it has nothing to do.
///
/// The runtime's own threads prevent that: from their first job on, libdispatch checks once a second whether there are
/// enough of them. There are four threads here, so that one that blocks delays no other; they last as long as the
/// process. Tasks that may wait for a disk, of which there can be any number, run on separate threads, where they delay
/// only each other.
///
/// Ownership: the jobs are behind one lock, and the semaphore counts them; every thread takes the oldest.
@_spi(Programs) public final class TaskThreads: TaskExecutor {
    private static let count = 4

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    /// - Parameter name: the name of each thread.
    /// - Returns: `nil` if the system allows no further thread.
    @_spi(Programs) public init?(named name: String = "tasks") {
        for _ in 0..<Self.count where !DetachedThread.start(named: name, { [self] in run() }) { return nil }
    }

    @_spi(Programs) public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }

    private func run() {
        let executor = asUnownedTaskExecutor()
        while true {
            waiting.wait()
            jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.runSynchronously(on: executor)
        }
    }
}
