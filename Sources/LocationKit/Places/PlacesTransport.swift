package import LocationModel
import Synchronization

/// The places service as a geocoder sees it: the daemon, or a double of it.
package protocol PlacesTransport: Sendable {
    /// Asks; the answer is called once, by any thread, perhaps before this returns, and after the call is cancelled
    /// perhaps not at all.
    ///
    /// - Parameter timeout: how long a network may be waited for, seconds.
    func ask(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall
}

/// `locationd-places` at one socket, for all geocoders of this process.
package final class DaemonPlacesTransport: PlacesTransport {
    private let thread: ClientThread
    let line: ClientThreadConfined<PlacesRequestQueue>

    /// Where the geocoders of this process wait for their turn, by the socket's path: of these there is one, or few.
    private static let lines = Mutex<[String: ClientThreadConfined<PlacesRequestQueue>]>([:])

    package init(path: String) {
        thread = .shared
        line = Self.lines.withLock { lines in
            if let line = lines[path] { return line }
            let line = ClientThreadConfined(PlacesRequestQueue(path: path))
            lines[path] = line
            return line
        }
    }

    /// One by itself, for tests.
    ///
    /// - Parameter grace: seconds that a service may be silent beyond its time-out.
    package init(path: String, thread: ClientThread, grace: Double = PlacesRequestQueue.grace) {
        self.thread = thread
        line = ClientThreadConfined(PlacesRequestQueue(path: path, grace: grace))
    }

    package func ask(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall {
        let call = Call { [thread, line] call in thread.performIfRunning { loop in line(loop).leave(call, loop) } }
        let isPerformed = thread.perform { [line] loop in
            line(loop).join(call, request, timeout: timeout, loop, answer)
        }
        if !isPerformed { answer(.failure(.noThread)) }
        return call
    }

    /// A caller's place in the line.
    private final class Call: CancellableCall {
        private let leave: @Sendable (Call) -> Void

        init(_ leave: @escaping @Sendable (Call) -> Void) {
            self.leave = leave
        }

        func cancel() {
            leave(self)
        }
    }
}

extension GeocodingError {
    /// There can be no client thread.
    static var noThread: GeocodingError {
        .refused(error: "", reason: "no further thread or descriptor is allowed to this process")
    }
}
