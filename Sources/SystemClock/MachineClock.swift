import CLinux
import Glibc
package import LocationModel

/// The machine's clocks, as the model's moments.
package enum MachineClock {
    /// The clock that counts from boot, sleep included, and never jumps.
    package static var now: BootInstant {
        BootInstant(nanoseconds: clinux_boot_nanoseconds())
    }

    /// The clock that stands still while the machine sleeps, as systemd counts it.
    package static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// The wall clock, as good as it was set.
    package static var utc: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
