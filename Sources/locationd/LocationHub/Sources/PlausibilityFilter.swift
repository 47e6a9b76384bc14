@_spi(Programs) import LocationModel

/// Judges the fixes of one receiver: which are held back because they cannot be true.
///
/// A fix is compared with the last one that was believed. One that is held back may still begin a new course of the
/// machine, such as the end of a tunnel or another recording: after ``PlausibilitySettings/confirmations`` fixes that
/// agree with each other the latest is believed. Pure.
struct PlausibilityFilter {
    /// Metres that a fix without a known accuracy counts as.
    private static let unknownAccuracy = 100.0
    /// So many times the accuracies of two fixes may lie between them: a stated accuracy holds most fixes, not all.
    private static let accuracyFactor = 3.0
    /// A receiver that was last within this distance of null island, metres, may have travelled there.
    private static let nullIslandApproach = 100_000.0
    /// Metres per second above which a receiver moves.
    private static let movingSpeed = 0.5

    private var believed: Track?
    /// The last fix that was held back, and how many before it agree with it.
    private var doubted: (track: Track, count: Int, reason: Implausibility)?

    /// The part of a fix that the rules compare.
    struct Track {
        let coordinate: Coordinate
        let accuracy: Double
        var timestamp: UTCTime?
        let arrival: BootInstant

        init(_ fix: Location) {
            coordinate = fix.coordinate
            accuracy = fix.horizontalAccuracy ?? PlausibilityFilter.unknownAccuracy
            timestamp = fix.timestamp
            arrival = fix.monotonicTime
        }
    }

    /// - Returns: the rule by which the fix is held back; `nil` if it is believed.
    mutating func judge(_ fix: Location, by settings: PlausibilitySettings) -> Implausibility? {
        let track = Track(fix)
        guard let reason = objection(to: fix, track, by: settings) else {
            believed = track
            doubted = nil
            return nil
        }
        var count = 1
        if reason != .nullIsland, let doubted, doubted.reason != .nullIsland,
            Self.objection(to: track, after: doubted.track, by: settings) == nil
        {
            // A second report of the same epoch confirms nothing.
            let isSameEpoch = track.timestamp != nil && track.timestamp == doubted.track.timestamp
            count = doubted.count + (isSameEpoch ? 0 : 1)
        }
        guard count < settings.confirmations || reason == .nullIsland else {
            believed = track
            doubted = nil
            return nil
        }
        doubted = (track, count, reason)
        return reason
    }

    /// Whether the machine cannot have come to a position since another receiver's fix, whatever the times that both
    /// state.
    static func isOutOfReach(_ fix: Location, of former: Track, by settings: PlausibilitySettings) -> Bool {
        var track = Track(fix)
        track.timestamp = nil
        return objection(to: track, after: former, by: settings) != nil
    }

    private func objection(to fix: Location, _ track: Track, by settings: PlausibilitySettings) -> Implausibility? {
        if isNullIsland(fix, by: settings) { return .nullIsland }
        guard let believed else { return nil }
        return Self.objection(to: track, after: believed, by: settings)
    }

    private func isNullIsland(_ fix: Location, by settings: PlausibilitySettings) -> Bool {
        // Two comparisons for all fixes elsewhere; a degree is over 110 km.
        guard let radius = settings.nullIslandRadius, abs(fix.coordinate.latitude) < 1,
            abs(fix.coordinate.longitude) < 1, fix.speed ?? 0 < Self.movingSpeed, let origin = Coordinate.nullIsland,
            fix.coordinate.distance(to: origin) <= radius
        else { return false }
        return believed.map { $0.coordinate.distance(to: origin) > Self.nullIslandApproach } ?? true
    }

    private static func objection(
        to fix: Track, after former: Track, by settings: PlausibilitySettings
    ) -> Implausibility? {
        var elapsed = max(0, fix.arrival.seconds(since: former.arrival))
        if let time = fix.timestamp, let formerTime = former.timestamp {
            let seconds = time.seconds(since: formerTime)
            if let tolerance = settings.timeTolerance, seconds < -tolerance { return .timeRunsBack }
            elapsed = max(elapsed, seconds)
        }
        guard let speed = settings.maximumSpeed else { return nil }
        let reach = speed * elapsed + accuracyFactor * (fix.accuracy + former.accuracy)
        return fix.coordinate.isWithin(reach, of: former.coordinate) ? nil : .jump
    }
}

extension Coordinate {
    fileprivate static let nullIsland = Coordinate(latitude: 0, longitude: 0)

    /// Whether the distance is at most so many metres. Most answers need no geodesic: a degree of a meridian or a
    /// parallel is at most 111.7 km, and the sum of the two sides is at least the distance.
    fileprivate func isWithin(_ reach: Double, of other: Coordinate) -> Bool {
        let east = abs(longitude - other.longitude)
        let bound = (abs(latitude - other.latitude) + min(east, 360 - east)) * 111_700
        return bound <= reach || distance(to: other) <= reach
    }
}
