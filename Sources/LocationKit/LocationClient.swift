import LocationInterface
public import LocationModel
import Varlink

/// The way to the location service for a program that wants one answer, or a stream of them.
///
/// Each question and each stream has a connection of its own while it lasts; one thread serves all of this process's,
/// and there is none while nothing is asked.
public struct LocationClient: Sendable {
    /// The daemon's socket.
    public let socketPath: String
    /// Seconds that the daemon may be silent beyond the time it was given.
    private let grace: Double

    /// - Parameter socketPath: the daemon's socket; `nil` for `LOCATIOND_SOCKET` or the usual one.
    public init(socketPath: String? = nil) {
        self.init(socketPath: socketPath ?? SocketPath.location, grace: 10)
    }

    init(socketPath: String, grace: Double) {
        self.socketPath = socketPath
        self.grace = grace
    }

    /// Why there is a fix, or none, for this program.
    public func status() async throws(LocationError) -> ServiceStatus {
        try await ask(LocationInterface.Method.getStatus, NoParameters(), as: StatusReply.self).status
    }

    /// One location.
    ///
    /// - Throws: `timedOut` and `unavailable` hold the best location there was; `daemonNotRunning` if the daemon is
    ///   silent for 10 s more.
    public func location(_ request: LocationRequest = LocationRequest()) async throws(LocationError) -> Location {
        try await ask(
            LocationInterface.Method.getLocation, request, as: LocationReply.self,
            within: max(0, request.timeout ?? LocationRequest.defaultTimeout)
        ).location.value
    }

    /// Updates until the loop over them ends or its task is cancelled.
    ///
    /// A loop that is slow finds the newest 256 updates; the locations it missed are counted in
    /// ``LocationUpdate/dropped``, states are missed last.
    public func updates(_ request: WatchRequest = WatchRequest()) -> AsyncThrowingStream<LocationUpdate, any Error> {
        let buffer = UpdateBuffer()
        let call = ClientCall<WatchReply>()
        let isAsked = call.ask(LocationInterface.Method.watch, request, more: true, at: socketPath) {
            result, isLast in
            switch result {
            case .success(let reply):
                buffer.append(LocationUpdate(reply))
                if isLast { buffer.finish() }
            case .failure(let error): buffer.finish(error)
            }
        }
        if !isAsked { buffer.finish(.noThread) }
        let loop = UpdateLoop(buffer: buffer, call: call)
        return AsyncThrowingStream { try await loop.next() }
    }

    /// The stream's side of a watch, which ends when the stream is gone.
    private final class UpdateLoop: Sendable {
        private let buffer: UpdateBuffer
        private let call: ClientCall<WatchReply>

        init(buffer: UpdateBuffer, call: ClientCall<WatchReply>) {
            self.buffer = buffer
            self.call = call
        }

        deinit {
            call.cancel()
        }

        func next() async throws -> LocationUpdate? {
            try await buffer.next()
        }
    }

    /// Asks and waits for the one answer; cancellation ends it.
    ///
    /// - Parameter seconds: those the daemon was given.
    func ask<Answer: Decodable & Sendable>(
        _ method: String, _ parameters: some Encodable & Sendable, as type: Answer.Type, within seconds: Double = 0
    ) async throws(LocationError) -> Answer {
        let call = ClientCall<Answer>()
        let result: Result<Answer, LocationError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAsked = call.ask(method, parameters, within: seconds + grace, at: socketPath) { result, _ in
                    continuation.resume(returning: result)
                }
                if !isAsked { continuation.resume(returning: .failure(.noThread)) }
            }
        } onCancel: {
            call.cancel()
        }
        return try result.get()
    }
}

extension LocationError {
    /// There can be no client thread.
    static var noThread: LocationError { .refused(error: "", reason: "no further thread or descriptor is allowed") }
}
