@_spi(Programs) package import LocationModel
import Synchronization
@_spi(Programs) package import SystemSupport

/// Reads fixes from gpsd.
///
/// An open connection to gpsd powers the receiver: ``run(deliver:)`` opens it and closes it on return. One thread,
/// `gps-reader`, owns the connection and libgps' memory; it lasts as long as each run.
package final class GPSDSource: LocationSource {
    package let name: String
    package let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let heartbeats: Heartbeats
    private let makeWaker: @Sendable () -> Waker?
    private let tally = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - silenceTimeout: seconds without data after which a connection is reopened.
    ///   - heartbeats: where the thread shows that it is alive.
    ///   - makeWaker: returns `nil` while no descriptor is available.
    package init(
        name: String = "gpsd", endpoint: GPSDEndpoint, silenceTimeout: Double = 20, heartbeats: Heartbeats = .unwatched,
        makeWaker: @escaping @Sendable () -> Waker? = { Waker() }
    ) {
        self.name = name
        self.endpoint = endpoint
        self.silenceTimeout = silenceTimeout
        self.heartbeats = heartbeats
        self.makeWaker = makeWaker
    }

    package var device: String? { endpoint.device }

    package var counters: [String: Int] { tally.withLock { $0 } }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        await run(needsSatellites: { true }, deliver: deliver)
    }

    package func run(
        needsSatellites: @escaping @Sendable () -> Bool, deliver: @escaping @Sendable (SourceEvent) -> Void
    ) async {
        await DetachedThread.run(named: "gps-reader", makeWaker: makeWaker) { waker in
            // Here, and not on the thread itself, so that a thread that fails to start is noticed too.
            let heartbeat = heartbeats.begin("gps-reader")
            return {
                let reader = Reader(
                    name: self.name, endpoint: self.endpoint, silenceTimeout: self.silenceTimeout, waker: waker,
                    heartbeat: heartbeat,
                    count: { kind in self.tally.withLock { $0[kind, default: 0] += 1 } },
                    needsSatellites: needsSatellites, deliver: deliver)
                reader.run()
            }
        } isShort: { reason in
            deliver(.condition(.unavailable(reason: reason)))
        }
    }
}
