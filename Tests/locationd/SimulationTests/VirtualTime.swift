@_spi(Programs) import LocationModel
import LocationServer
import NIOCore
import NIOEmbedded
import Synchronization
@_spi(Programs) import SystemSupport

/// The machine's clocks, which move at command: the one that stands while the machine sleeps is the event
/// loop's, the one that counts from boot runs on, and the wall clock is set at will.
final class VirtualTime: Sendable {
    let loop = EmbeddedEventLoop()
    /// Nanoseconds slept, and by which the wall clock was set.
    private let offsets = Mutex((slept: Int64(0), wall: Int64(0)))

    var now: BootInstant {
        BootInstant(nanoseconds: 1_000_000_000_000 + awakeNanoseconds + offsets.withLock { $0.slept })
    }

    var utc: UTCTime {
        UTCTime(seconds: 1_790_000_000, nanoseconds: now.nanoseconds + offsets.withLock { $0.wall })
    }

    /// What a receiver would tell, whatever the wall clock shows.
    var trueUTC: UTCTime { UTCTime(seconds: 1_790_000_000, nanoseconds: now.nanoseconds) }

    /// Seconds on the clock of timers.
    var awake: Double { Double(awakeNanoseconds) / 1e9 }

    var clock: ServiceClock { ServiceClock(now: { self.now }, utc: { self.utc }) }

    private var awakeNanoseconds: Int64 { Int64(loop.now.uptimeNanoseconds) }

    func sleep(_ seconds: Double) {
        offsets.withLock { $0.slept += Int64(seconds * 1e9) }
    }

    func setWallClock(by seconds: Double) {
        offsets.withLock { $0.wall += Int64(seconds * 1e9) }
    }

    /// Does something when the machine has been awake for so long.
    func after(_ seconds: Double, _ body: @escaping () -> Void) {
        loop.scheduleTask(in: .nanoseconds(Int64(max(0, seconds) * 1e9)), body)
    }
}
