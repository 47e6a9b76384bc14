import CLinux
import Glibc

/// A dedicated thread for blocking work.
@_spi(Programs) public enum DetachedThread {
    /// Starts a detached thread that runs `body` once.
    ///
    /// - Returns: false if the system allows no further thread; `body` does not run then.
    @_spi(Programs) public static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                clinux_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        if code != 0 { start.release() }
        return code == 0
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

extension DetachedThread {
    /// Runs blocking work on a dedicated thread until the task is cancelled, and waits for the thread's end. While no
    /// descriptor or no thread is available, this reports that and retries.
    ///
    /// - Parameters:
    ///   - makeWaker: called at each attempt.
    ///   - prepare: creates the thread's body, which has to end once the waker wakes.
    ///   - isShort: called with what is missing, and what to do.
    @_spi(Programs) public static func run(
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
            // Cancellation ends the sleep early; the loop checks for it.
            try? await Pause.sleep(for: .seconds(backoff.fail(jitter: .random(in: 0..<1))))
        }
    }

    /// - Returns: false if no thread is available.
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
