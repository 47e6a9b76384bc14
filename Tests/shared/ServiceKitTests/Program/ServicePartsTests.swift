import ProgramTestSupport
import Testing

@testable import ServiceKit

/// How the parts of a service begin and end, and what systemd is told of it.
@Suite struct ServicePartsTests {
    private let folder: TemporaryFolder
    private let receiver: NotificationReceiver
    private let notifications: NotificationSocket
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() throws {
        (signals, signal) = AsyncStream.makeStream()
        folder = try TemporaryFolder()
        receiver = try NotificationReceiver(folder("notify"))
        notifications = try NotificationSocket(receiver.address)
    }

    private struct Failure: Error {}

    /// Returns when it is cancelled.
    private static func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        defer { withExtendedLifetime(continuation) {} }
        for await _ in stream {}
    }

    @Test func signalCancelsEveryPart() async throws {
        let cancelled = ValueRecorder<Bool>()
        let part: ServiceParts.Part = {
            await Self.wait()
            cancelled.append(Task.isCancelled)
        }
        try await ServiceParts(part, nil, part).run(until: signals, notifications) {
            #expect(receiver.messages == ["READY=1"], "ready is reported first")
            signal.yield()
        }
        #expect(cancelled.values == [true, true])
        #expect(receiver.messages == ["READY=1", "STOPPING=1"])
    }

    @Test func firstPartToReturnEndsTheOthers() async throws {
        var calls = 0
        try await ServiceParts({ await Self.wait() }, {}).run(
            until: signals, notifications, whenEnding: { calls += 1 })
        #expect(calls == 1)
        #expect(receiver.messages == ["READY=1", "STOPPING=1"])
    }

    /// A program that fails exits, which systemd sees by itself.
    @Test func failureOfAPartIsThrownAfterTheOthersAreCancelled() async throws {
        var calls = 0
        await #expect(throws: Failure.self) {
            try await ServiceParts({ await Self.wait() }, { throw Failure() }).run(
                until: signals, notifications, whenEnding: { calls += 1 })
        }
        #expect(calls == 1)
        #expect(receiver.messages == ["READY=1"])
    }

    @Test func failureBeforeThePartsRunIsThrown() async throws {
        await #expect(throws: Failure.self) {
            try await ServiceParts({ Issue.record("the part runs") }).run(until: signals, nil) { throw Failure() }
        }
    }
}
