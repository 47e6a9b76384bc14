import Glibc
@_spi(Programs) import LocationModel

/// Decides which locations of a track may be left out.
///
/// Between two kept locations the track has the machine move in a straight line at a constant speed. A location may be
/// left out if this puts the machine, at the moment of that location, within ``Settings/maximumError`` of it. So a
/// straight road costs little, each turn and each stop is kept, and the error of the track is known.
///
/// The newest location is always part of the track, so that nothing is missing when the machine loses its power;
/// whether it may be left out is decided with the next one.
package struct TrackThinning: Sendable {
    package struct Settings: Sendable, Hashable {
        /// Metres between a location that was left out and the track at its moment, at most.
        package var maximumError = 5.0
        /// Seconds between two kept locations, at most, if there are locations.
        package var interval = 60.0
        package init() {}
    }

    /// Metres between two kept locations, at most: on longer legs a straight line on a map and the shortest way over
    /// the ellipsoid differ by more than a tenth of a metre.
    private static let longestLeg = 2000.0
    /// Locations between two kept ones, at most: what a receiver with 10 Hz sends in a minute.
    private static let longestWindow = 600

    private let settings: Settings
    /// The last location that is kept for good.
    private var anchor: TrackPoint?
    /// Those after it that were left out.
    private var leftOut: [TrackPoint] = []
    private var newest: TrackPoint?

    package init(_ settings: Settings) {
        self.settings = settings
    }

    /// Adds a location, which is part of the track from now on.
    ///
    /// - Parameter isBreak: whether the locations before it are kept as they are, such as before a gap.
    /// - Returns: whether the location before it is no longer part of the track.
    package mutating func add(_ point: TrackPoint, isBreak: Bool = false) -> Bool {
        guard let anchor, !isBreak else {
            (self.anchor, leftOut, newest) = (point, [], nil)
            return false
        }
        guard let last = newest else {
            newest = point
            return false
        }
        newest = point
        if allowsLeg(from: anchor, to: point, without: leftOut + [last]) {
            leftOut.append(last)
            return true
        }
        (self.anchor, leftOut) = (last, [])
        return false
    }

    private func allowsLeg(from anchor: TrackPoint, to point: TrackPoint, without points: [TrackPoint]) -> Bool {
        let duration = point.time.seconds(since: anchor.time)
        guard duration > 0, duration <= settings.interval, points.count < Self.longestWindow else { return false }
        let end = Offset(of: point.location.coordinate, from: anchor.location.coordinate)
        guard end.length <= Self.longestLeg else { return false }
        return points.allSatisfy { left in
            let share = left.time.seconds(since: anchor.time) / duration
            guard share > 0, share < 1 else { return false }
            let place = Offset(of: left.location.coordinate, from: anchor.location.coordinate)
            return hypot(place.east - share * end.east, place.north - share * end.north) <= settings.maximumError
        }
    }
}

/// A position relative to another one, metres on the plane that touches the ellipsoid there.
private struct Offset {
    let east: Double
    let north: Double

    private static let semiMajorAxis = 6_378_137.0
    private static let eccentricitySquared = 6.694_379_990_14e-3

    var length: Double { hypot(east, north) }

    /// By the ellipsoid's radii of curvature (WGS 84) halfway: within a centimetre up to 2 km, but for the poles.
    init(of coordinate: Coordinate, from origin: Coordinate) {
        let middle = (coordinate.latitude + origin.latitude) / 2 * .pi / 180
        let root = (1 - Self.eccentricitySquared * sin(middle) * sin(middle)).squareRoot()
        let meridian = Self.semiMajorAxis * (1 - Self.eccentricitySquared) / (root * root * root)
        north = (coordinate.latitude - origin.latitude) * .pi / 180 * meridian
        // Over the antimeridian the short way counts.
        let turn = (coordinate.longitude - origin.longitude).remainder(dividingBy: 360) * .pi / 180
        east = turn * Self.semiMajorAxis / root * cos(middle)
    }
}
