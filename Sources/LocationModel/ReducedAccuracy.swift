/// The one fix that everybody who may know only roughly where the machine is shares.
///
/// A position is displaced by the machine's secret ``drift`` and replaced by the middle of its cell in ``grid``. The
/// same answer is given again while the machine is at the same place, so that neither a receiver's noise nor the
/// drift, nor asking for years, adds anything to it. There is at most one fix in ``interval``.
///
/// When ``places`` has changed, the caller keeps ``memory(at:utc:)`` where a restart finds it: an answer that is told
/// and then forgotten is drawn anew, and each draw tells more. As long as the drift is kept, few are lost in between and
/// little is told; who cannot keep the drift tells nothing.
package struct ReducedAccuracy: Sendable {
    /// Least seconds between two fixes.
    package var interval = 600.0

    /// Where the middles of the cells are.
    package let grid: AccuracyGrid
    /// How positions are displaced before that, in parts of half the grid's size.
    package private(set) var drift: OffsetDrift
    /// What was told where.
    package private(set) var places: ReducedPlaces
    /// The latest fix and when it was made.
    private var published: Publication?

    private struct Publication {
        let location: Location
        var moment: BootInstant
    }

    /// Nothing is published yet.
    package init(grid: AccuracyGrid, drift: OffsetDrift, places: ReducedPlaces = ReducedPlaces()) {
        self.grid = grid
        self.drift = drift
        self.places = places
    }

    /// Metres that a machine may move and still be at the same place.
    private var stickiness: Double { grid.size / 4 }

    /// Takes in the receiver's fix.
    ///
    /// - Returns: The reduced fix to publish; `nil` if there was one within the last ``interval``.
    package mutating func take(_ location: Location, at now: BootInstant) -> Location? {
        if let last = published?.moment {
            // A clock that went back delays the next fix by no more than an interval.
            if now < last { published?.moment = now }
            guard now.seconds(since: last) >= interval else { return nil }
        }
        let grid = grid
        let offset = drift.offset(at: now)
        let reported = places.answer(
            for: location.coordinate, within: stickiness, slack: location.knownAccuracy ?? 0
        ) { grid.snap(offset.displacing($0, radius: grid.size / 2)) }
        let reduced = location.reduced(to: reported, accuracy: accuracy(of: reported, by: location))
        published = Publication(location: reduced, moment: now)
        return reduced
    }

    /// The latest fix, unchanged, until ``interval`` has passed since it was made.
    package func current(at now: BootInstant) -> Location? {
        guard let published, now.seconds(since: published.moment) < interval else { return nil }
        return published.location
    }

    /// When another fix is published at the earliest; `nil` if the next one.
    package var nextChange: BootInstant? { published?.moment.advanced(bySeconds: interval) }

    /// Lets the drift go on to another point if it has arrived.
    ///
    /// - Returns: True if it does; it is then to be remembered.
    package mutating func renewDrift(at now: BootInstant, using generator: inout some RandomNumberGenerator) -> Bool {
        guard drift.isOver(at: now) else { return false }
        drift = drift.next(at: now, using: &generator)
        return true
    }

    /// Metres within which the machine is of what is reported, at least: the cell's reach, the displacement, the way
    /// from the place's anchor and, twice, what the receiver's fix may be off, once each for being within the place
    /// and for being where it says.
    private func accuracy(of reported: Coordinate, by location: Location) -> Double {
        // In such steps the receiver's accuracy, which could tell indoors from outdoors, seldom shows.
        let step = stickiness
        let steps = max(1, (2 * (location.knownAccuracy ?? 0) / step).rounded(.up))
        let bound = grid.reach(from: reported) + grid.size / 2 + stickiness + steps * step
        return (bound / 100).rounded(.up) * 100
    }
}

extension Location {
    /// The receiver's accuracy as far as it makes sense: at least 0 and at most half a turn of the Earth.
    fileprivate var knownAccuracy: Double? {
        horizontalAccuracy.flatMap { $0 >= 0 ? min($0, 20_003_932) : nil }
    }

    /// The same moment at another position: nothing is told but when, by which source, and how well.
    fileprivate func reduced(to reported: Coordinate, accuracy: Double) -> Location {
        var reduced = Location(coordinate: reported, monotonicTime: monotonicTime, source: source)
        reduced.horizontalAccuracy = accuracy
        reduced.timestamp = timestamp
        reduced.sequence = sequence
        return reduced
    }
}
