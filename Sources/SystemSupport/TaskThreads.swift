import Dispatch
import Synchronization

/// Threads for the tasks of a program that is to sleep while it has nothing to do.
///
/// The runtime's own threads do not: from their first job on, libdispatch looks once a second whether there are enough
/// of them. These are four, so that one that waits holds up no other; they last as long as the process. Any number of tasks
/// may wait for the same disk: those have threads of their own, where they hold up one another.
///
/// Ownership: the jobs lie behind one lock, and the semaphore counts them; every thread takes the oldest.
package final class TaskThreads: TaskExecutor {
    private static let count = 4

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    /// - Parameter name: of each thread.
    /// - Returns: `nil` if the system allows no further thread.
    package init?(named name: String = "tasks") {
        for _ in 0..<Self.count where !DetachedThread.start(named: name, { [self] in run() }) { return nil }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
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
