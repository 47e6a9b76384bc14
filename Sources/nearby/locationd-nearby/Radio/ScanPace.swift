import LocationModel

/// When the machine scans by itself: only while that is wanted, at most once a minute, and not while what was received
/// is fresh, because each scan takes the radio away from its network for seconds.
struct ScanPace: Equatable {
    /// Seconds between two scans, and from an observation to a scan.
    static let interval = 60.0

    private var last: BootInstant?

    /// - Parameter observed: when the newest observation was made; `nil` without one.
    /// - Returns: seconds until a scan is due; 0 begins one.
    mutating func delay(at now: BootInstant, observed: BootInstant?) -> Double {
        let due = [last, observed].compactMap(\.self).map { $0.advanced(bySeconds: Self.interval) }.max()
        guard let due, due > now else {
            last = now
            return 0
        }
        return due.seconds(since: now)
    }
}
