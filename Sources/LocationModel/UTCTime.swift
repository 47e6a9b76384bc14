/// A moment in UTC to the nanosecond, as a receiver tells it.
///
/// Written as RFC 3339 with milliseconds (`2026-03-01T12:00:00.250Z`), which is also its coded form.
public struct UTCTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX time).
    public let seconds: Int64
    /// Nanoseconds after `seconds`, 0..<1,000,000,000.
    public let nanoseconds: Int32

    /// Seconds and nanoseconds since 1970; nanoseconds outside one second are carried over, as far as seconds reach.
    public init(seconds: Int64, nanoseconds: Int64 = 0) {
        let carry = nanoseconds.floorDivided(by: 1_000_000_000)
        let (sum, overflow) = seconds.addingReportingOverflow(carry)
        if overflow {
            self.seconds = carry < 0 ? .min : .max
            self.nanoseconds = carry < 0 ? 0 : 999_999_999
        } else {
            self.seconds = sum
            self.nanoseconds = Int32(nanoseconds.flooredRemainder(by: 1_000_000_000))
        }
    }

    /// The same moment rounded to the nearest millisecond, the resolution gpsd and the wire have.
    public var roundedToMilliseconds: UTCTime {
        UTCTime(seconds: seconds, nanoseconds: (Int64(nanoseconds) + 500_000) / 1_000_000 * 1_000_000)
    }

    /// Seconds from `other` to this moment, negative if this one is earlier.
    public func seconds(since other: UTCTime) -> Double {
        Double(seconds) - Double(other.seconds) + Double(nanoseconds - other.nanoseconds) / 1e9
    }

    /// Earlier comes first.
    public static func < (lhs: UTCTime, rhs: UTCTime) -> Bool {
        (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity, so that remainders are never negative.
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// What ``floorDivided(by:)`` leaves, 0..<divisor.
    func flooredRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
