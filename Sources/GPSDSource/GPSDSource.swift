package import LocationModel
package import Machine
import Synchronization

/// Fixes from a gpsd.
///
/// The connection to gpsd is what powers a receiver: it is opened by ``run(deliver:)`` and closed when that returns.
/// One thread, `gps-reader`, owns the connection and libgps' memory; it is born and dies with each run.
package final class GPSDSource: LocationSource {
    package let name: String
    package let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let heartbeats: Heartbeats
    private let tally = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - silenceTimeout: seconds after which a connection on which nothing comes is opened anew.
    ///   - heartbeats: where the thread shows that it is alive.
    package init(
        name: String = "gpsd", endpoint: GPSDEndpoint, silenceTimeout: Double = 20, heartbeats: Heartbeats = .unwatched
    ) {
        self.name = name
        self.endpoint = endpoint
        self.silenceTimeout = silenceTimeout
        self.heartbeats = heartbeats
    }

    package var counters: [String: Int] { tally.withLock { $0 } }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        guard let waker = Waker() else {
            deliver(.condition(.unavailable(reason: "no descriptor is left for gpsd; raise LimitNOFILE")))
            return
        }
        // From here, and not from its own first step: a thread that never comes to it is missed too.
        let heartbeat = heartbeats.begin("gps-reader")
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let started = Thread.start(named: "gps-reader") {
                    let reader = Reader(
                        name: self.name, endpoint: self.endpoint, silenceTimeout: self.silenceTimeout, waker: waker,
                        heartbeat: heartbeat,
                        count: { kind in self.tally.withLock { $0[kind, default: 0] += 1 } }, deliver: deliver)
                    reader.run()
                    continuation.resume()
                }
                if !started {
                    deliver(.condition(.unavailable(reason: "the system allows no further thread; raise TasksMax")))
                    continuation.resume()
                }
            }
        } onCancel: {
            waker.wake()
        }
    }
}
