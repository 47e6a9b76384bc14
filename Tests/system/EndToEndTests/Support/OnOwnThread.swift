import Dispatch
@_spi(Programs) import SystemSupport
import Testing

/// Runs a test on a thread of its own, on which it may wait for other processes without stopping the other tests.
///
/// So many run at a time that the machine is busy and none starves; a test that only waits does not count.
struct OnOwnThread: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }
    fileprivate let mostlyWaits: Bool

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPerJob()) {
            guard !mostlyWaits else { return try await function() }
            Self.enter()
            defer { Self.leave() }
            try await function()
        }
    }

    private static let places = DispatchSemaphore(value: 8)

    private static func enter() { places.wait() }
    private static func leave() { places.signal() }
}

extension Trait where Self == OnOwnThread {
    /// The test blocks: it gets a thread of its own.
    static var onOwnThread: Self { Self(mostlyWaits: false) }
    /// The same for a test that waits for a minute and costs nothing meanwhile.
    static var onOwnThreadMostlyWaiting: Self { Self(mostlyWaits: true) }
}

/// Each piece of work gets a new thread, so that one that blocks is in nobody's way.
private final class ThreadPerJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        if !DetachedThread.start(named: "test", { job.runSynchronously(on: executor) }) {
            DispatchQueue.global().async { job.runSynchronously(on: executor) }
        }
    }
}
