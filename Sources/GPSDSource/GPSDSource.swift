package import LocationModel
import Machine
import Synchronization

/// Fixes from a gpsd.
///
/// The connection to gpsd is what powers a receiver: it is opened by ``run(deliver:)`` and closed when that returns.
/// One thread, `gps-reader`, owns the connection and libgps' memory; it is born and dies with each run.
package final class GPSDSource: LocationSource {
    package let name: String
    package let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let tally = Mutex<[String: Int]>([:])

    /// - Parameter silenceTimeout: seconds after which a connection on which nothing comes is opened anew.
    package init(name: String = "gpsd", endpoint: GPSDEndpoint, silenceTimeout: Double = 20) {
        self.name = name
        self.endpoint = endpoint
        self.silenceTimeout = silenceTimeout
    }

    package var counters: [String: Int] { tally.withLock { $0 } }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        guard let waker = Waker() else {
            deliver(.condition(.unavailable(reason: "no descriptor is left for gpsd; raise LimitNOFILE")))
            return
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let started = Thread.start(named: "gps-reader") {
                    let reader = Reader(
                        name: self.name, endpoint: self.endpoint, silenceTimeout: self.silenceTimeout, waker: waker,
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
