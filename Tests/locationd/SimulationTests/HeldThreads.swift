import Synchronization

/// Tasks that run when they are told to, on the thread that tells them.
final class HeldThreads: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        let executor = asUnownedTaskExecutor()
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: executor)
        }
    }
}
