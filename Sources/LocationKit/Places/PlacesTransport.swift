package import LocationModel
import Synchronization

/// The places service as a geocoder sees it: the daemon, or a double of it.
package protocol PlacesTransport: Sendable {
    /// Asks; the answer is called once, by any thread, perhaps before this returns, and after the call is cancelled
    /// perhaps not at all.
    ///
    /// - Parameter timeout: how long a network may be waited for, seconds.
    func send(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall
}

/// `locationd-places` at one socket, for all geocoders of this process.
package final class DaemonPlacesTransport: PlacesTransport {
    private let thread: ClientThread
    let queue: ClientThreadConfined<PlacesRequestQueue>

    /// Where the geocoders of this process wait for their turn, by the socket's path: of these there is one, or few.
    private static let queues = Mutex<[String: ClientThreadConfined<PlacesRequestQueue>]>([:])

    package init(path: String) {
        thread = .shared
        queue = Self.queues.withLock { queues in
            if let queue = queues[path] { return queue }
            let queue = ClientThreadConfined(PlacesRequestQueue(path: path))
            queues[path] = queue
            return queue
        }
    }

    /// One by itself, for tests.
    ///
    /// - Parameter grace: seconds that a service may be silent beyond its time-out.
    package init(path: String, thread: ClientThread, grace: Double = PlacesRequestQueue.grace) {
        self.thread = thread
        queue = ClientThreadConfined(PlacesRequestQueue(path: path, grace: grace))
    }

    package func send(
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

    /// A caller's place in the queue.
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
    /// There can be no client thread.
    static var noThread: GeocodingError {
        .refused(error: "", reason: "no further thread or descriptor is allowed to this process")
    }
}
