import Synchronization

/// Threads for rare tasks that may block for long, such as look-ups in a directory service: a thread is started for
/// each task while fewer than the limit run, and ends when no task is left. At rest they cost nothing.
///
/// If the system allows no thread, a task waits until the next one is enqueued; who awaits it needs a time-out anyway.
///
/// Ownership: the jobs and the number of threads are behind one lock; every thread takes the oldest job.
@_spi(Programs) public final class ThreadsOnDemand: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
    }

    private let name: String
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the name of each thread.
    ///   - limit: the most threads at a time.
    @_spi(Programs) public init(named name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    @_spi(Programs) public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        guard needsThread, !DetachedThread.start(named: name, { [self] in run() }) else { return }
        state.withLock { $0.threads -= 1 }
    }

    private func run() {
        let executor = asUnownedTaskExecutor()
        while let job = nextJob() { job.runSynchronously(on: executor) }
    }

    /// - Returns: `nil` if the thread is to end, which is counted already.
    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
            state.threads -= 1
            return nil
        }
    }
}
