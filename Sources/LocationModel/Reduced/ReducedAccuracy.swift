/// The one fix that everybody who may know only roughly where the machine is shares.
///
/// A position is displaced by the machine's secret ``displacement`` and replaced by the middle of its cell in ``grid``.
/// What is told depends on displaced positions alone, so that no number of answers, over however many years, tells
/// where on the disk of displacements the machine's own is: a machine elsewhere with another one answers the same. The
/// same answer is given again while the machine is at the same place, so that a receiver's noise does not tell how near
/// the next cell is. There is at most one fix in ``interval``.
///
/// The displacement is never drawn again: the mean of what two of them tell is nearer to the place. Who cannot keep it
/// tells nothing. When ``places`` has changed, the caller keeps ``memory`` where a restart finds it.
package struct ReducedAccuracy: Sendable {
    /// Least seconds between two fixes.
    package var interval = 600.0

    /// Where the middles of the cells are.
    package let grid: AccuracyGrid
    /// How positions are displaced before that, in parts of ``reach``.
    package let displacement: DiskPoint
    /// What was told where.
    package private(set) var places: ReducedPlaces
    /// The latest fix and when it was made.
    private var published: Publication?

    private struct Publication {
        let location: Location
        var moment: BootInstant
    }

    /// Nothing is published yet.
    package init(grid: AccuracyGrid, displacement: DiskPoint, places: ReducedPlaces = ReducedPlaces()) {
        self.grid = grid
        self.displacement = displacement
        self.places = places
    }

    /// The longest displacement, metres.
    ///
    /// Its disk is a little larger than a cell, and so is the root of its mean square, reach / √2, than that of a place
    /// in its cell, size / √6: who has averaged for years knows no more than who knows the cell.
    package var reach: Double { 0.6 * grid.size }

    /// Metres that a machine may move and still be at the same place.
    private var stickiness: Double { grid.size / 4 }

    /// Takes in the receiver's fix.
    ///
    /// - Returns: The reduced fix to publish; `nil` if there was one within the last ``interval``.
    package mutating func applyFix(_ location: Location, at now: BootInstant) -> Location? {
        if let last = published?.moment {
            // A clock that went back delays the next fix by no more than an interval.
            if now < last { published?.moment = now }
            guard now.seconds(since: last) >= interval else { return nil }
        }
        let (grid, displacement, reach) = (grid, displacement, reach)
        let reported = places.answer(
            for: location.coordinate, within: stickiness, slack: location.knownAccuracy ?? 0
        ) { grid.snap(displacement.displacing($0, radius: reach)) }
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

    /// Metres within which the machine is of what is reported, at least: the cell's reach, the displacement, the way
    /// from the place's anchor and, twice, what the receiver's fix may be off, once each for being within the place
    /// and for being where it says.
    private func accuracy(of reported: Coordinate, by location: Location) -> Double {
        // In such steps the receiver's accuracy, which could tell indoors from outdoors, seldom shows.
        let step = stickiness
        let steps = max(1, (2 * (location.knownAccuracy ?? 0) / step).rounded(.up))
        let bound = grid.reach(from: reported) + reach + stickiness + steps * step
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

/// What of reduced accuracy outlives the daemon.
package struct ReducedMemory: Sendable, Hashable, Codable {
    /// The size of the grid that the displacement and the places' answers belong to, metres.
    package var size: Double
    /// The machine's secret.
    package var displacement: DiskPoint
    /// The places, the latest first.
    package var places: [ReducedPlace]

    /// The first memory of a machine, with a secret of its own.
    ///
    /// A grid of another size begins anew: with one secret for two sizes, two mean positions would tell it.
    /// - Parameter size: of the grid's cells, metres.
    package init(size: Double, using generator: inout some RandomNumberGenerator) {
        self.size = size
        displacement = .random(using: &generator)
        places = []
    }

    init(size: Double, displacement: DiskPoint, places: [ReducedPlace]) {
        self.size = size
        self.displacement = displacement
        self.places = places
    }

    private enum CodingKeys: String, CodingKey {
        case size, displacement, places
        /// Where the displacement was moving to, in files of a time when it moved.
        case to
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Double.self, forKey: .size)
        displacement =
            try container.decodeIfPresent(DiskPoint.self, forKey: .displacement)
            ?? container.decode(DiskPoint.self, forKey: .to)
        places = try container.decode([ReducedPlace].self, forKey: .places)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encode(displacement, forKey: .displacement)
        try container.encode(places, forKey: .places)
    }
}

extension ReducedAccuracy {
    /// What was remembered.
    package init(_ memory: ReducedMemory) {
        self.init(
            grid: AccuracyGrid(size: memory.size), displacement: memory.displacement,
            places: ReducedPlaces(memory.places))
    }

    /// What to remember.
    package var memory: ReducedMemory {
        ReducedMemory(size: grid.size, displacement: displacement, places: places.list)
    }
}
