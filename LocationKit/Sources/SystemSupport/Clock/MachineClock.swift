import CLinux
import Glibc
@_spi(Programs) public import LocationModel

/// The machine's clocks, as the model's types.
@_spi(Programs) public enum MachineClock {
    /// The monotonic clock that counts from boot, suspend included.
    @_spi(Programs) public static var now: BootInstant {
        BootInstant(nanoseconds: clinux_boot_nanoseconds())
    }

    /// The monotonic clock that stops during suspend, as systemd uses it.
    @_spi(Programs) public static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// The wall clock, which is as accurate as it was set.
    @_spi(Programs) public static var utc: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
