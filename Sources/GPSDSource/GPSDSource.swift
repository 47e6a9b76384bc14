package import LocationModel
import Synchronization
package import SystemSupport

/// Fixes from a gpsd.
///
/// The connection to gpsd is what powers a receiver: it is opened by ``run(deliver:)`` and closed when that returns.
/// One thread, `gps-reader`, owns the connection and libgps' memory; it is born and dies with each run.
package final class GPSDSource: LocationSource {
    package let name: String
    package let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let heartbeats: Heartbeats
    private let makeWaker: @Sendable () -> Waker?
    private let tally = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - silenceTimeout: seconds after which a connection on which nothing comes is opened anew.
    ///   - heartbeats: where the thread shows that it is alive.
    ///   - makeWaker: has none while no descriptor is left.
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

    package var counters: [String: Int] { tally.withLock { $0 } }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        await DetachedThread.run(named: "gps-reader", makeWaker: makeWaker) { waker in
            // Here, and not in its own first step: a thread that never comes to it is missed too.
            let heartbeat = heartbeats.begin("gps-reader")
            return {
                let reader = Reader(
                    name: self.name, endpoint: self.endpoint, silenceTimeout: self.silenceTimeout, waker: waker,
                    heartbeat: heartbeat,
                    count: { kind in self.tally.withLock { $0[kind, default: 0] += 1 } }, deliver: deliver)
                reader.run()
            }
        } isShort: { reason in
            deliver(.condition(.unavailable(reason: reason)))
        }
    }
}
