@_spi(Programs) package import LocationModel
import Synchronization
@_spi(Programs) package import SystemSupport

/// Positions of another program, a provider, which serves `org.locationd.provider` on a Unix socket.
///
/// An open connection is what the provider works for: ``run(deliver:)`` opens it and closes it on return. One thread,
/// `provider-reader`, owns it; it lasts as long as each run. A provider can be wrong about the position and nothing
/// else: what it sends is bounded in size and pace, and checked as a receiver's reports are.
package final class ProviderSource: LocationSource {
    package let name: String
    private let endpoint: ProviderEndpoint
    private let heartbeats: Heartbeats
    private let tally = Mutex<[String: Int]>([:])
    private let desiredAccuracy = Mutex<Double?>(nil)
    /// Woken by a change of that; `nil` if no descriptor is available: the next connection tells it then.
    private let news = Waker()

    /// - Parameter heartbeats: where the thread shows that it is alive.
    package init(name: String, endpoint: ProviderEndpoint, heartbeats: Heartbeats = .unwatched) {
        self.name = name
        self.endpoint = endpoint
        self.heartbeats = heartbeats
    }

    package var isLowPower: Bool { endpoint.method == .network }

    package func setDesiredAccuracy(_ accuracy: Double?) {
        let hasChanged = desiredAccuracy.withLock { desired in
            defer { desired = accuracy }
            return desired != accuracy
        }
        if hasChanged { news?.wake() }
    }

    package var counters: [String: Int] { tally.withLock { $0 } }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        await DetachedThread.run(named: "provider-reader") { waker in
            // Here, and not on the thread itself, so that a thread that fails to start is noticed too.
            let heartbeat = heartbeats.begin("provider-reader")
            return {
                let reader = ProviderReader(
                    name: self.name, endpoint: self.endpoint, waker: waker, heartbeat: heartbeat, news: self.news,
                    desiredAccuracy: { self.desiredAccuracy.withLock(\.self) },
                    count: { kind, number in self.tally.withLock { $0[kind, default: 0] += number } },
                    deliver: deliver)
                reader.run()
            }
        } isShort: { reason in
            deliver(.condition(.unavailable(reason: reason)))
        }
    }
}
