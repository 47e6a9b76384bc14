/// A moment on the monotonic clock that counts from boot, suspend included (Linux: CLOCK_BOOTTIME).
///
/// Ages and time-outs are computed on it, because the wall clock may be set at any time, even from the receiver.
public struct BootInstant: Sendable, Hashable, Comparable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// A moment so many nanoseconds after boot.
    @inlinable public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// A moment this many seconds after boot, within ±9.2e9; a number out of range is clamped, NaN is 0.
    @inlinable public init(seconds: Double) {
        nanoseconds = Self.nanoseconds(of: seconds)
    }

    /// Seconds since boot.
    @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Seconds from `earlier` to this moment.
    @inlinable public func seconds(since earlier: BootInstant) -> Double {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? seconds - earlier.seconds : Double(difference) / 1e9
    }

    /// The moment this many seconds later, clamped to the clock's range.
    @inlinable public func advanced(bySeconds seconds: Double) -> BootInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(Self.nanoseconds(of: seconds))
        return BootInstant(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// Earlier comes first.
    @inlinable public static func < (lhs: BootInstant, rhs: BootInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    @usableFromInline static func nanoseconds(of seconds: Double) -> Int64 {
        let bounded = max(-9.2e9, min(9.2e9, seconds.isNaN ? 0 : seconds))
        return Int64((bounded * 1e9).rounded())
    }
}

extension BootInstant: Codable {
    /// Decodes seconds since boot.
    public init(from decoder: any Decoder) throws {
        self.init(seconds: try decoder.singleValueContainer().decode(Double.self))
    }

    /// Encodes as seconds since boot.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }
}
