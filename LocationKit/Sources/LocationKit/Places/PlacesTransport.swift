@_spi(Programs) public import LocationModel
import Synchronization

/// How a geocoder reaches the places service: `locationd-places`, or a test double.
@_spi(Programs) public protocol PlacesTransport: Sendable {
    /// Sends a request. The answer is called once, on any thread, perhaps before this returns; after the call is
    /// cancelled perhaps not at all.
    ///
    /// - Parameter timeout: seconds that the service may wait for a network.
    func send(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall
}

/// Connects all geocoders of this process to `locationd-places` at one socket.
@_spi(Programs) public final class DaemonPlacesTransport: PlacesTransport {
    private let thread: ClientThread
    let queue: ClientThreadConfined<PlacesRequestQueue>

    /// The request queues of this process by socket path; there are only one or a few.
    private static let queues = Mutex<[String: ClientThreadConfined<PlacesRequestQueue>]>([:])

    @_spi(Programs) public init(path: String) {
        thread = .shared
        queue = Self.queues.withLock { queues in
            if let queue = queues[path] { return queue }
            let queue = ClientThreadConfined(PlacesRequestQueue(path: path))
            queues[path] = queue
            return queue
        }
    }

    /// A transport with a queue of its own, for tests.
    ///
    /// - Parameter grace: seconds for which the service may be silent in addition to its time-out.
    @_spi(Programs) public init(path: String, thread: ClientThread, grace: Double = PlacesRequestQueue.grace) {
        self.thread = thread
        queue = ClientThreadConfined(PlacesRequestQueue(path: path, grace: grace))
    }

    @_spi(Programs) public func send(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall {
        let call = Call { [thread, queue] call in thread.performIfRunning { loop in queue(loop).cancel(call, loop) } }
        let isPerformed = thread.perform { [queue] loop in
            queue(loop).enqueue(call, request, timeout: timeout, loop, answer)
        }
        if !isPerformed { answer(.failure(.noThread)) }
        return call
    }

    /// One caller's request in the queue.
    private final class Call: CancellableCall {
        private let onCancel: @Sendable (Call) -> Void

        init(_ onCancel: @escaping @Sendable (Call) -> Void) {
            self.onCancel = onCancel
        }

        func cancel() {
            onCancel(self)
        }
    }
}

extension GeocodingError {
    /// The client thread cannot be started.
    static var noThread: GeocodingError {
        .refused(error: "", reason: "no further thread or descriptor is allowed to this process")
    }
}
