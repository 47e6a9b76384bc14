@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Calls to the daemon beside the watches.
@Suite(.timeLimit(.minutes(10)))
struct DaemonTransportCallTests {
    private typealias Answer = Result<ServiceStatus, LocationError>

    private static let granted = SharingScript.status()
    private static let pending = SharingScript.status(.tracking, .notDetermined)

    @Test func statusIsFetchedImmediately() throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let status = try DaemonTransport.$briefTimeout.withValue(20) {
            try DaemonTransport(path: daemon.path).status()
        }
        #expect(status == Self.granted)
    }

    @Test func stateIsNotWaitedForLong() throws {
        let daemon = try LiveDaemon { _, _ in [] }
        let transport = DaemonTransport(path: daemon.path)
        let start = ContinuousClock.now
        #expect(throws: LocationError.daemonNotRunning(path: daemon.path, reason: "it does not answer")) {
            try transport.status()
        }
        #expect(ContinuousClock.now - start >= .milliseconds(240))
    }

    @Test(arguments: [true, false])
    func theLastStatusIsReusedForASecondIfTheDaemonIsLate(_ isYoung: Bool) throws {
        let daemon = try LiveDaemon { _, _ in [] }
        let transport = DaemonTransport(path: daemon.path)
        // A minute in the future, so that it is young however long the call takes.
        let moment = transport.now.advanced(bySeconds: isYoung ? 60 : -1)
        transport.lastStatus.withLock { $0 = (Self.granted, moment) }
        if isYoung {
            #expect(try transport.status() == Self.granted)
        } else {
            #expect(throws: LocationError.silent(at: daemon.path)) { try transport.status() }
        }
    }

    @Test func theLastStatusIsNotReusedAfterTheDaemonHasEnded() throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let transport = DaemonTransport(path: daemon.path)
        transport.lastStatus.withLock { $0 = (Self.granted, transport.now.advanced(bySeconds: 60)) }
        daemon.stop()
        #expect(throws: LocationError.self) { try transport.status() }
    }

    /// The daemon accepts none of the waiting connections; another one would wait for ever.
    @Test func stateIsNotWaitedForWhereTheQueueIsFull() async throws {
        let folder = try TemporaryFolder()
        let socket = try BusySocket(folder("busy.sock"))
        let transport = DaemonTransport(path: folder("busy.sock"))
        for _ in 0..<3 {
            let error = try await blocking { () -> LocationError? in
                do throws(LocationError) {
                    _ = try transport.status()
                    return nil
                } catch {
                    return error
                }
            }
            guard case .daemonNotRunning = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        withExtendedLifetime(socket) {}
    }

    @Test func lastLocationStartsNothing() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-last"))
        let answers = ValueRecorder<Result<Location, LocationError>>()
        for age in [60, .infinity, .nan, -1] {
            let before = answers.count
            _ = transport.lastLocation(maximumAge: age) { answers.append($0) }
            try await eventually { answers.count == before + 1 }
        }
        #expect(answers.values.allSatisfy { (try? $0.get().monotonicTime.seconds) == 7 })
        let ages = ["60", "1000000000", "0", "0"]
        #expect(
            daemon.calls
                == ages.map {
                    #"{"method":"org.locationd.location.GetLocation","parameters":{"maximumAge":\#($0),"#
                        + #""passive":true,"timeout":0}}"#
                })
        try await eventually { ThreadCount.named("kit-last") == 0 && daemon.open == 0 }
    }

    @Test func failureToConnectIsAnswered() async throws {
        let transport = DaemonTransport(path: "/nowhere/x", thread: ClientThread(named: "kit-nowhere"))
        let answers = ValueRecorder<LocationError?>()
        _ = transport.lastLocation(maximumAge: 0) { result in
            if case .failure(let error) = result { answers.append(error) } else { answers.append(nil) }
        }
        try await eventually { answers.count == 1 }
        guard case .daemonNotRunning("/nowhere/x", _) = answers.values[0] else {
            Issue.record("\(answers.values)")
            return
        }
    }

    @Test func equalRequestsShareOneCallAndEachReceivesAllReplies() async throws {
        let daemon = try LiveDaemon { _, _ in [Replies.pending()] }
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-ask"))
        let (first, second, other) = (
            ValueRecorder<(Answer, Bool)>(), ValueRecorder<(Answer, Bool)>(), ValueRecorder<(Answer, Bool)>()
        )
        _ = transport.requestAuthorization(.always, fullAccuracy: false, purpose: "maps") { first.append(($0, $1)) }
        try await eventually { first.count == 1 }
        _ = transport.requestAuthorization(.always, fullAccuracy: false, purpose: "maps") { second.append(($0, $1)) }
        _ = transport.requestAuthorization(.whenInUse, fullAccuracy: false, purpose: "maps") { other.append(($0, $1)) }
        try await eventually { second.count == 1 && other.count == 1 }
        #expect(daemon.open == 2)
        daemon.send(Replies.status(continues: false))
        try await eventually { [first, second, other].allSatisfy { $0.count == 2 } }
        for seen in [first, second, other] {
            #expect(seen.values.map(\.0) == [.success(Self.pending), .success(Self.granted)])
            #expect(seen.values.map(\.1) == [false, true])
        }
        try await eventually { daemon.open == 0 && ThreadCount.named("kit-ask") == 0 }
        #expect(daemon.calls.count == 2)
    }

    @Test func lastCallerToCancelEndsTheCall() async throws {
        let daemon = try LiveDaemon { _, _ in [Replies.pending()] }
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-give-up"))
        let answers = ValueRecorder<Answer>()
        let first = transport.requestAuthorization(.always, fullAccuracy: false, purpose: nil) { result, _ in
            answers.append(result)
        }
        let second = transport.requestAuthorization(.always, fullAccuracy: false, purpose: nil) { result, _ in
            answers.append(result)
        }
        try await eventually { answers.count == 2 }
        first.cancel()
        daemon.send(Replies.pending())
        try await eventually { answers.count == 3 }
        second.cancel()
        second.cancel()
        try await eventually { daemon.open == 0 && ThreadCount.named("kit-give-up") == 0 }
        #expect(answers.count == 3)
        #expect(daemon.accepted == 1)
    }

    @Test func endBeforeTheDecisionIsFinal() async throws {
        let daemon = try LiveDaemon { _, _ in [Replies.pending()] }
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-undecided"))
        let answers = ValueRecorder<(Answer, Bool)>()
        _ = transport.requestAuthorization(.always, fullAccuracy: false, purpose: nil) { answers.append(($0, $1)) }
        try await eventually { answers.count == 1 }
        daemon.stop()
        try await eventually { answers.count == 2 }
        #expect(answers.values.map(\.0) == [.success(Self.pending), .failure(.disconnected)])
        #expect(answers.values.map(\.1) == [false, true])
        try await eventually { ThreadCount.named("kit-undecided") == 0 }
    }
}
