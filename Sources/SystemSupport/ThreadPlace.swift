import Synchronization

/// Room for one thread that may not come back: a disk on the network holds whoever reads from it for as long as it is
/// away, and no signal ends that.
///
/// Whoever is cancelled leaves such a thread behind, and it ends by itself once the system lets it go. Until then nobody
/// else gets its place, so that their number does not grow.
package final class ThreadPlace: Sendable {
    private let isTaken = Mutex(false)
    /// How long the end of a thread is waited for, seconds.
    private let patience: Double

    package init(patience: Double = 1) {
        self.patience = patience
    }

    /// As ``DetachedThread/run(named:makeWaker:_:isShort:)``, but returns soon after the task is cancelled, whatever becomes of
    /// the thread. What a thread says that was left behind is to be ignored.
    ///
    /// - Parameter isHeld: called if one that was left behind still has the place, which is then waited for.
    package func run(
        named name: String, _ prepare: (Waker) -> @Sendable () -> Void, isShort: (String) -> Void, isHeld: () -> Void
    ) async {
        if !acquire() {
            isHeld()
            repeat {
                // Ends early when cancelled.
                try? await Pause.sleep(for: .seconds(1))
                if Task.isCancelled { return }
            } while !acquire()
        }
        var backoff = Backoff()
        while !Task.isCancelled {
            if let waker = Waker(), let ended = Waker() {
                if await run(named: name, until: waker, ended, prepare(waker)) { return }
                isShort("the system allows no further thread; raise TasksMax")
            } else {
                isShort("no descriptor is left; raise LimitNOFILE")
            }
            try? await Pause.sleep(for: .seconds(backoff.fail(jitter: .random(in: 0..<1))))
        }
        leave()
    }

    private func acquire() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    private func leave() {
        isTaken.withLock { $0 = false }
    }

    /// - Returns: false if there is no thread to be had. Otherwise the thread gives the place back at its end.
    private func run(
        named name: String, until waker: Waker, _ ended: Waker, _ body: @escaping @Sendable () -> Void
    ) async -> Bool {
        let result = OneResult()
        let patience = patience
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                result.await(by: continuation)
                let isStarted = DetachedThread.start(named: name) {
                    body()
                    self.leave()
                    ended.wake()
                    result.set(true)
                }
                if !isStarted { result.set(false) }
            }
        } onCancel: {
            waker.wake()
            // Without a thread to be had, the other one's end is waited for.
            _ = DetachedThread.start(named: "leaving") {
                _ = ended.wait(for: -1, events: 0, seconds: patience)
                result.set(true)
            }
        }
    }
}

/// The first of several results, for who waits for one.
private final class OneResult: Sendable {
    private struct State {
        var result: Bool?
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    func await(by continuation: CheckedContinuation<Bool, Never>) {
        let result = state.withLock { state in
            if state.result == nil { state.waiting = continuation }
            return state.result
        }
        if let result { continuation.resume(returning: result) }
    }

    func set(_ result: Bool) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            if state.result == nil { state.result = result }
            return state.waiting
        }
        waiting?.resume(returning: result)
    }
}
