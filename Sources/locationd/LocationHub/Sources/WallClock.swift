@_spi(Programs) package import LocationModel

/// The system's clock as the hub knows it: UTC at one moment of the clock that never jumps.
///
/// A receiver's date is judged by it: after a roll-over of the GPS week the position is true and the date is not.
package struct WallClock: Sendable, Equatable {
    /// No date before this version's can be true, whatever the system's clock says.
    private static let release = UTCTime(seconds: 1_767_225_600)  // 2026-01-01

    private let utc: UTCTime
    private let moment: BootInstant
    private let isSynchronized: Bool

    /// - Parameters:
    ///   - utc: the system's clock.
    ///   - moment: when it was read.
    ///   - isSynchronized: whether something sets it by a reference, so that it can judge a receiver.
    package init(utc: UTCTime, at moment: BootInstant, isSynchronized: Bool) {
        self.utc = utc
        self.moment = moment
        self.isSynchronized = isSynchronized
    }

    /// True if the date cannot be that of the fix: it is before the release of this version, or it is far from a
    /// synchronized clock. What is simulated, written or replayed has any date.
    ///
    /// - Parameter tolerance: seconds; `nil` judges nothing.
    func objects(to fix: Location, tolerance: Double?) -> Bool {
        guard let tolerance, let time = fix.timestamp, fix.source.isMeasuredNow else { return false }
        if time < Self.release { return true }
        guard isSynchronized else { return false }
        let now = utc.seconds(since: time) + fix.monotonicTime.seconds(since: moment)
        return abs(now) > tolerance
    }
}

extension WallClock? {
    /// Without a clock only dates before the release of this version are known to be wrong.
    func objects(to fix: Location, tolerance: Double?) -> Bool {
        let unknown = WallClock(utc: UTCTime(seconds: 0), at: fix.monotonicTime, isSynchronized: false)
        return (self ?? unknown).objects(to: fix, tolerance: tolerance)
    }
}
