@_spi(Programs) import SystemSupport
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// A daemon with more connections than it accepts blocks no caller for ever.
@Suite(.timeLimit(.minutes(10)))
struct BusyDaemonTests {
    private let folder: TemporaryFolder
    private let queue: BusySocket
    private let path: String
    /// Fills the queue of pending connections.
    private let first: VarlinkConnection

    init() throws {
        folder = try TemporaryFolder()
        path = folder("busy.sock")
        queue = try BusySocket(path)
        first = try VarlinkConnection(path: path, waker: try #require(Waker()))
    }

    /// The error that connecting ends with.
    private static func failure(
        _ path: String, _ waker: Waker, seconds: Double = .infinity, patience: Double = .infinity
    ) async throws -> LocationError? {
        try await blocking { () -> LocationError? in
            do throws(LocationError) {
                _ = try VarlinkConnection(path: path, waker: waker, seconds: seconds, patience: patience)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func connectingTimesOut() async throws {
        let waker = try #require(Waker())
        let busy = LocationError.daemonNotRunning(path: path, reason: "it accepts no more connections")
        #expect(try await Self.failure(path, waker, patience: 0.05) == busy)
        #expect(try await Self.failure(path, waker, seconds: 0.05) == busy)
        #expect(try await Self.failure(path, waker, seconds: 0) == busy)
    }

    @Test func connectingEndsWhenWoken() async throws {
        let (path, waker) = (path, try #require(Waker()))
        async let error = Self.failure(path, waker)
        waker.wake()
        #expect(try await error == .cancelled)
    }

    @Test func freePlaceInTheQueueIsUsed() async throws {
        let (path, waker) = (path, try #require(Waker()))
        async let error = Self.failure(path, waker)
        try queue.turnOneAway()
        #expect(try await error == nil)
        withExtendedLifetime(first) {}
    }
}
