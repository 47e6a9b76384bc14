import LocationInterface
import LocationModel
import Machine
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
    /// A loop that is slow finds the newest 256 updates; the locations it missed are counted in
    /// ``LocationUpdate/dropped``, states are missed last.
    public func updates(_ options: WatchOptions = WatchOptions()) -> AsyncThrowingStream<LocationUpdate, any Error> {
        let path = socketPath
        let buffer = UpdateBuffer()
        guard let waker = Waker() else {
            buffer.finish(.refused(error: "", reason: "no descriptor is left"))
            return AsyncThrowingStream { try await buffer.next() }
        }
        let started = Thread.start(named: "location-watch") {
            do throws(LocationError) {
                try Self.watch(path, options, waker, into: buffer)
                buffer.finish()
            } catch {
                buffer.finish(error)
            }
        }
        if !started { buffer.finish(.refused(error: "", reason: "no further thread is allowed")) }
        let loop = UpdateLoop(buffer: buffer, waker: waker)
        return AsyncThrowingStream { try await loop.next() }
    }

    /// The stream's side of a watch, whose thread ends when the stream is gone.
    private final class UpdateLoop: Sendable {
        private let buffer: UpdateBuffer
        private let waker: Waker

        init(buffer: UpdateBuffer, waker: Waker) {
            self.buffer = buffer
            self.waker = waker
        }

        deinit {
            waker.wake()
        }

        func next() async throws -> LocationUpdate? {
            try await buffer.next()
        }
    }

    private static func watch(
        _ path: String, _ options: WatchOptions, _ waker: Waker, into buffer: UpdateBuffer
    ) throws(LocationError) {
        let connection = try VarlinkConnection(path: path, waker: waker)
        try connection.send(LocationInterface.Method.watch, options.parameters, more: true)
        while let reply = try connection.nextReply() {
            buffer.append(LocationUpdate(try reply.answer(as: WatchReply.self)))
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
