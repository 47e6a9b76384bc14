@_spi(Programs) import LocationInterface
@_spi(Programs) import SystemSupport
import TestSupport
import Testing
import Varlink

@_spi(Programs) @testable import LocationKit

/// A call to a daemon that never answers can be cancelled.
@Suite(.timeLimit(.minutes(10)))
struct CancellationTests {
    @Test func callEndsWithItsTask() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let client = LocationClient(socketPath: daemon.path)
        let task = Task { try await client.status() }
        #expect(await daemon.receivedCall().contains("GetStatus"))
        task.cancel()
        await #expect(throws: LocationError.cancelled) { try await task.value }
        await daemon.clientLeft()
    }

    @Test func silenceEndsACallAfterItsTimeOut() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let silence = LocationError.daemonNotRunning(path: daemon.path, reason: "it does not answer")
        let client = LocationClient(socketPath: daemon.path, grace: 0.05)
        await #expect(throws: silence) { try await client.location(LocationRequest(timeout: 0.05)) }
        await daemon.clientLeft()
        let other = try ScriptedDaemon(answer: "", then: .stays)
        await #expect(throws: LocationError.daemonNotRunning(path: other.path, reason: "it does not answer")) {
            try await LocationClient(socketPath: other.path, grace: 0.05).status()
        }
    }

    @Test func callOfACancelledTaskIsNotSent() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let client = LocationClient(socketPath: daemon.path)
        let (start, starter) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in start {}
            return try await client.status()
        }
        task.cancel()
        starter.finish()
        await #expect(throws: LocationError.cancelled) { try await task.value }
    }

    @Test func watchEndsWithItsTask() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let client = LocationClient(socketPath: daemon.path)
        let task = Task { for try await _ in client.updates() {} }
        #expect(await daemon.receivedCall().contains("Watch"))
        task.cancel()
        try await task.value
        await daemon.clientLeft()
    }

    @Test func callTimesOut() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let path = daemon.path
        let error = try await blocking { () -> LocationError? in
            guard let waker = Waker() else { return nil }
            do throws(LocationError) {
                let connection = try VarlinkConnection(path: path, waker: waker)
                _ = try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self, seconds: 0.05)
                return nil
            } catch {
                return error
            }
        }
        #expect(error == .timedOut(best: nil))
        await daemon.clientLeft()
    }

    /// With a timeout of zero the replies that have arrived are read, or the daemon would take the client for one that
    /// does not read.
    @Test func withoutTimeToWaitOnlyArrivedRepliesAreRead() async throws {
        let daemon = try ScriptedDaemon(answer: "{}\0{}\0{", then: .closes)
        let connection = try VarlinkConnection(path: daemon.path, waker: try #require(Waker()))
        #expect(try connection.nextReply(seconds: 0) == nil)
        try connection.send(LocationInterface.Method.watch, NoParameters(), more: true)
        await daemon.clientLeft()
        #expect(try connection.nextReply(seconds: 0) != nil)
        #expect(try connection.nextReply(seconds: 0) != nil)
        #expect(throws: LocationError.disconnected) { try connection.nextReply(seconds: 0) }
    }

    /// The state in which systemd holds the socket of a daemon that cannot start.
    @Test func firstReplyIsWaitedForAsLongAsPatienceLasts() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let path = daemon.path
        let error = try await blocking { () -> LocationError? in
            guard let waker = Waker() else { return nil }
            do throws(LocationError) {
                let connection = try VarlinkConnection(path: path, waker: waker, patience: 0.05)
                try connection.send(LocationInterface.Method.watch, WatchRequest(), more: true)
                _ = try connection.nextReply()
                return nil
            } catch {
                return error
            }
        }
        #expect(
            error == .daemonNotRunning(path: path, reason: "no answer; `journalctl -u locationd` may have the cause"))
        await daemon.clientLeft()
    }

    /// More is sent than fits into the socket buffer, and the daemon reads it byte by byte.
    @Test func sendingEndsWhenWoken() async throws {
        let daemon = try ScriptedDaemon(answer: "", then: .stays)
        let path = daemon.path
        let waker = try #require(Waker())
        let unread = String(repeating: "x", count: 4 << 20)
        async let error = blocking { () -> LocationError? in
            do throws(LocationError) {
                let connection = try VarlinkConnection(path: path, waker: waker)
                try connection.send("a.b", ["unread": unread])
                return nil
            } catch {
                return error
            }
        }
        waker.wake()
        #expect(try await error == .cancelled)
        await daemon.clientLeft()
    }
}
