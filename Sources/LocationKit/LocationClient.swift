import Blocking
import LocationInterface
import LocationModel
import Synchronization
import Varlink

/// The way to the location service for a program that wants one answer, or a stream of them.
///
/// Each question and each stream has a connection and a thread of its own while it lasts; an idle client has neither.
public struct LocationClient: Sendable {
    /// The daemon's socket.
    public let socketPath: String

    /// - Parameter socketPath: the daemon's socket; `nil` for `LOCATIOND_SOCKET` or the usual one.
    public init(socketPath: String? = nil) {
        self.socketPath = socketPath ?? SocketPath.location
    }

    /// Why there is a fix, or none, for this program.
    public func status() async throws(LocationError) -> ServiceStatus {
        try await ask { connection throws(LocationError) in
            try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status
        }
    }

    /// One location.
    ///
    /// - Parameters:
    ///   - maximumAge: how old it may be, seconds; 0 asks for a new fix.
    ///   - timeout: how long to wait at most, seconds; `nil` for the daemon's 30.
    ///   - requiredAccuracy: the horizontal accuracy to wait for, metres.
    ///   - passive: true starts no receiver.
    /// - Throws: `timedOut` and `unavailable` hold the best location there was.
    public func location(
        maximumAge: Double = 0, timeout: Double? = nil, requiredAccuracy: Double? = nil, passive: Bool = false
    ) async throws(LocationError) -> Location {
        let parameters = GetLocationParameters(
            maximumAge: maximumAge, timeout: timeout, requiredAccuracy: requiredAccuracy, passive: passive)
        return try await ask { connection throws(LocationError) in
            try connection.call(LocationInterface.Method.getLocation, parameters, as: LocationReply.self).location.value
        }
    }

    /// Updates until the loop over them ends or its task is cancelled.
    ///
    /// A loop that is slow finds the newest 256 updates; what it missed is counted in ``LocationUpdate/dropped``.
    public func updates(_ options: WatchOptions = WatchOptions()) -> AsyncThrowingStream<LocationUpdate, any Error> {
        let path = socketPath
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            guard let waker = Waker() else {
                return continuation.finish(throwing: LocationError.refused(error: "", reason: "no descriptor is left"))
            }
            continuation.onTermination = { _ in waker.wake() }
            let started = Thread.start(named: "location-watch") {
                do throws(LocationError) {
                    try Self.watch(path, options, waker, continuation)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            if !started {
                continuation.finish(throwing: LocationError.refused(error: "", reason: "no further thread is allowed"))
            }
        }
    }

    private static func watch(
        _ path: String, _ options: WatchOptions, _ waker: Waker,
        _ continuation: AsyncThrowingStream<LocationUpdate, any Error>.Continuation
    ) throws(LocationError) {
        let connection = try VarlinkConnection(path: path, waker: waker)
        try connection.send(LocationInterface.Method.watch, options.parameters, more: true)
        var lost = 0
        while let reply = try connection.nextReply() {
            var update = LocationUpdate(try reply.answer(as: WatchReply.self))
            update.dropped += lost
            lost = 0
            if case .dropped(let oldest) = continuation.yield(update) {
                lost = oldest.dropped + (oldest.location == nil ? 0 : 1)
            }
            if !reply.continues { return }
        }
    }

    /// Runs a question on a thread of its own; cancellation ends it.
    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (VarlinkConnection) throws(LocationError) -> Answer
    ) async throws(LocationError) -> Answer {
        guard let waker = Waker() else { throw .refused(error: "", reason: "no descriptor is left") }
        let path = socketPath
        let result: Result<Answer, LocationError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let started = Thread.start(named: "location-ask") {
                    continuation.resume(
                        returning: Result { () throws(LocationError) in
                            try question(VarlinkConnection(path: path, waker: waker))
                        })
                }
                if !started {
                    continuation.resume(
                        returning: .failure(.refused(error: "", reason: "no further thread is allowed")))
                }
            }
        } onCancel: {
            waker.wake()
        }
        return try result.get()
    }
}
