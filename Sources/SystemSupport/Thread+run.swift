extension Thread {
    /// Lets a thread of its own block until the task is cancelled, and waits for its end. While no descriptor or no thread
    /// is left that is told and tried again.
    ///
    /// - Parameters:
    ///   - makeWaker: called at each try.
    ///   - prepare: makes what the thread does, which has to end once the waker wakes.
    ///   - isShort: told what is missing, and what to do.
    package static func run(
        named name: String, makeWaker: () -> Waker? = { Waker() },
        _ prepare: (Waker) -> @Sendable () -> Void, isShort: (String) -> Void
    ) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            if let waker = makeWaker() {
                if await run(named: name, until: waker, prepare(waker)) { return }
                isShort("the system allows no further thread; raise TasksMax")
            } else {
                isShort("no descriptor is left; raise LimitNOFILE")
            }
            // The sleep ends early when cancelled, of which the loop takes care.
            try? await Pause.sleep(for: .seconds(backoff.fail(jitter: .random(in: 0..<1))))
        }
    }

    /// - Returns: false if there is no thread to be had.
    private static func run(
        named name: String, until waker: Waker, _ body: @escaping @Sendable () -> Void
    ) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStarted = start(named: name) {
                    body()
                    continuation.resume(returning: true)
                }
                if !isStarted { continuation.resume(returning: false) }
            }
        } onCancel: {
            waker.wake()
        }
    }
}
