import Synchronization

/// Permits one thread that may block indefinitely: a network disk blocks a reader for as long as it is unreachable, and
/// no signal ends that.
///
/// On cancellation such a thread is abandoned, and ends by itself once the system unblocks it. Until then no other
/// thread is started in its place, so that their number does not grow.
@_spi(Programs) public final class ThreadPlace: Sendable {
    private let isOccupied = Mutex(false)
    /// How long to wait for the end of a thread, seconds.
    private let patience: Double

    @_spi(Programs) public init(patience: Double = 1) {
        self.patience = patience
    }

    /// Like ``DetachedThread/run(named:makeWaker:_:isShort:)``, but returns soon after the task is cancelled, whatever
    /// the state of the thread. The output of an abandoned thread is to be ignored.
    ///
    /// - Parameter isHeld: called if an abandoned thread still occupies the place; this then waits for its end.
    @_spi(Programs) public func run(
        named name: String, _ prepare: (Waker) -> @Sendable () -> Void, isShort: (String) -> Void, isHeld: () -> Void
    ) async {
        if !acquire() {
            isHeld()
            repeat {
                // Cancellation ends the sleep early.
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
        isOccupied.withLock { isOccupied in
            defer { isOccupied = true }
            return !isOccupied
        }
    }

    private func leave() {
        isOccupied.withLock { $0 = false }
    }

    /// - Returns: false if no thread is available. Otherwise the thread releases the place at its end.
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
            // If no thread is available, this waits for the other one's end.
            _ = DetachedThread.start(named: "leaving") {
                _ = ended.wait(for: -1, events: 0, seconds: patience)
                result.set(true)
            }
        }
    }
}

/// The first of several results, for a single waiter.
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
