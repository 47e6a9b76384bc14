@_spi(Programs) import SystemSupport
import Testing

/// A pause lasts as long as it is to, unless nobody wants to wait any more.
@Suite(.timeLimit(.minutes(10)))
struct PauseTests {
    @Test func lastsAsLongAsItIsTo() async throws {
        let start = SuspendingClock.now
        try await Pause.sleep(for: .milliseconds(50))
        #expect(start.duration(to: .now) >= .milliseconds(50))
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func noTimeIsOverAtOnce(_ duration: Duration) async throws {
        try await Pause.sleep(for: duration)
    }

    @Test func cancellationEndsIt() async {
        let sleeping = Task { try await Pause.sleep(for: .seconds(86_400)) }
        await Task.yield()
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }

    @Test func pauseOfACancelledTaskIsNone() async {
        let sleeping = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await Pause.sleep(for: .seconds(86_400))
        }
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }
}
