@_spi(Programs) import LocationModel
import Synchronization
@_spi(Programs) import SystemSupport

/// Time that stands at the machine's, plus the seconds that a test sets: no timer learns of them, as after a sleep of
/// the machine.
final class SetTime: Sendable {
    private let passed = Mutex(0.0)
    private let (now, utc) = (MachineClock.now, MachineClock.utc)

    func set(to seconds: Double) { passed.withLock { $0 = seconds } }

    var clock: ServiceClock {
        ServiceClock(
            now: { [self] in now.advanced(bySeconds: passed.withLock(\.self)) },
            utc: { [self] in utc.advanced(bySeconds: passed.withLock(\.self)) })
    }
}
