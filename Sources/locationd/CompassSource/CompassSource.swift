@_spi(Programs) package import LocationModel
import Synchronization
@_spi(Programs) package import SystemSupport

/// Reads the compass of iio-sensor-proxy, `net.hadess.SensorProxy.Compass` on the system bus.
///
/// The compass is claimed while ``run(deliver:)`` runs, because the sensor is polled as long as anybody claims it.
/// D-Bus is spoken by libsystemd, which is loaded when the first run begins. One thread, `compass-reader`, owns the
/// connection; it lasts as long as each run.
///
/// A compass may turn as fast as it likes: at most ``NewestRate/limit`` headings a second are delivered, the newest
/// each time; the others are counted.
package final class CompassSource: LocationSource {
    package let name: String
    private let library: String
    private let address: String?
    private let heartbeats: Heartbeats
    private let tally = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - address: of the bus; `nil` is the system bus.
    ///   - library: the name of libsystemd's shared library, for dlopen(3).
    ///   - heartbeats: where the thread shows that it is alive.
    package init(
        name: String = "compass", address: String? = nil, library: String = "libsystemd.so.0",
        heartbeats: Heartbeats = .unwatched
    ) {
        self.name = name
        self.address = address
        self.library = library
        self.heartbeats = heartbeats
    }

    package var isCompass: Bool { true }

    package var counters: [String: Int] { tally.withLock { $0 } }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        await DetachedThread.run(named: "compass-reader") { waker in
            // Here, and not on the thread itself, so that a thread that fails to start is noticed too.
            let heartbeat = heartbeats.begin("compass-reader")
            return {
                let reader = CompassReader(
                    library: self.library, address: self.address, waker: waker, heartbeat: heartbeat,
                    count: { kind, number in self.tally.withLock { $0[kind, default: 0] += number } },
                    deliver: deliver)
                reader.run()
            }
        } isShort: { reason in
            deliver(.condition(.unavailable(reason: reason)))
        }
    }
}
