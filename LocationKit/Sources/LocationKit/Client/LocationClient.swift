@_spi(Programs) import LocationInterface
@_spi(Programs) public import LocationModel
@_spi(Programs) import SystemSupport
import Varlink

/// A client of the location service for programs that want single answers, or a stream of updates.
///
/// Each call and each stream has a connection of its own while it lasts. One thread serves all connections of this
/// process; it exists only while there are any.
public struct LocationClient: Sendable {
    /// The daemon's socket.
    public let socketPath: String
    /// Seconds for which the daemon may be silent in addition to the time-out of the call.
    private let grace: Double

    /// - Parameter socketPath: the daemon's socket; `nil` for `LOCATIOND_SOCKET` or the default socket.
    public init(socketPath: String? = nil) {
        self.init(socketPath: socketPath ?? SocketPath.location, grace: 10)
    }

    init(socketPath: String, grace: Double) {
        self.socketPath = socketPath
        self.grace = grace
    }

    /// Why there is a fix, or none, for this program.
    public func status() async throws(LocationError) -> ServiceStatus {
        try await performCall(LocationInterface.Method.getStatus, NoParameters(), as: StatusReply.self).status
    }

    /// Requests one location.
    ///
    /// - Throws: `timedOut` and `unavailable` with the best location there was; `daemonNotRunning` if the daemon is
    ///   silent for 10 s longer than the time-out.
    public func location(_ request: LocationRequest = LocationRequest()) async throws(LocationError) -> Location {
        try await performCall(
            LocationInterface.Method.getLocation, request, as: LocationReply.self,
            within: max(0, request.timeout ?? LocationRequest.defaultTimeout)
        ).location.value
    }

    /// Which programs of this user receive locations, or were sent some in the last 24 hours.
    ///
    /// Those that receive locations now come first, then the others by the time of the last one. The names are what the
    /// programs say of themselves.
    public func usage() async throws(LocationError) -> [LocationUsage] {
        try await performCall(LocationInterface.Method.watchUsage, UsageParameters(), as: UsageReply.self).usage
    }

    /// Updates until the loop over them ends or its task is cancelled.
    ///
    /// A slow loop receives the newest 256 updates. The locations that it missed are counted in
    /// ``LocationUpdate/dropped``; updates with a status are dropped last.
    public func updates(_ request: WatchRequest = WatchRequest()) -> AsyncThrowingStream<LocationUpdate, any Error> {
        let buffer = UpdateBuffer()
        let call = ClientCall<WatchReply>()
        var request = request
        request.library = Release.library
        let isStarted = call.start(LocationInterface.Method.watch, request, more: true, at: socketPath) {
            result, isLast in
            switch result {
            case .success(let reply):
                buffer.append(LocationUpdate(reply))
                if isLast { buffer.finish() }
            case .failure(let error): buffer.finish(error)
            }
        }
        if !isStarted { buffer.finish(.noThread) }
        let loop = UpdateLoop(buffer: buffer, call: call)
        return AsyncThrowingStream { try await loop.next() }
    }

    /// The consumer of a watch, which ends the call when the stream is released.
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

    /// Calls a method and waits for the one reply; cancelling the task cancels the call.
    ///
    /// - Parameter seconds: the time-out of the call.
    func performCall<Answer: Decodable & Sendable>(
        _ method: String, _ parameters: some Encodable & Sendable, as type: Answer.Type, within seconds: Double = 0
    ) async throws(LocationError) -> Answer {
        let call = ClientCall<Answer>()
        let result: Result<Answer, LocationError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStarted = call.start(method, parameters, within: seconds + grace, at: socketPath) { result, _ in
                    continuation.resume(returning: result)
                }
                if !isStarted { continuation.resume(returning: .failure(.noThread)) }
            }
        } onCancel: {
            call.cancel()
        }
        return try result.get()
    }
}

extension LocationError {
    /// The client thread cannot be started.
    static var noThread: LocationError { .refused(error: "", reason: "no further thread or descriptor is allowed") }
}

extension LocationClient {
    /// The monitors that are persisted for this user, with the last report of each region.
    public func monitors() async throws(LocationError) -> [NamedMonitor] {
        let reply = try await performCall(
            LocationInterface.Method.listMonitors, NoParameters(), as: ListMonitorsReply.self)
        return reply.monitors.map { NamedMonitor($0, at: MachineClock.now) }
    }

    /// Removes a persisted monitor. A monitor that uses the name reports the error `noSuchMonitor` and ends.
    ///
    /// - Throws: `noSuchMonitor` if nothing is persisted under the name.
    public func removeMonitor(_ name: String) async throws(LocationError) {
        _ = try await performCall(
            LocationInterface.Method.removeMonitor, MonitorName(name: name), as: NoParameters.self)
    }
}
