/// The one fix that all clients with reduced accuracy share.
///
/// A position is displaced by the machine's secret ``displacement`` and replaced by the middle of its cell in ``grid``.
/// The result depends on displaced positions alone, so that no number of answers, over however many years, reveals the
/// machine's displacement: a machine elsewhere with another displacement gives the same answers. That does not hold for
/// an observer who knows some of the positions precisely: answers for about six such places narrow the displacement
/// down to 250 m. So a client that may know the position gets none of these answers, see ``withoutDisplacement``. The
/// same answer is repeated while the machine is at the same place, so that a receiver's noise does not reveal how near
/// the next cell is. There is at most one fix in ``interval``.
///
/// The displacement is never drawn again: the mean of two answers with different displacements is nearer to the true
/// position. A daemon that cannot persist the displacement gives no reduced locations. When ``places`` has changed, the
/// caller persists ``memory``.
@_spi(Programs) public struct ReducedAccuracy: Sendable {
    /// The least time between two fixes, seconds.
    @_spi(Programs) public var interval = 600.0

    /// The grid of the cells.
    @_spi(Programs) public let grid: AccuracyGrid
    /// How positions are displaced before they are snapped to the grid, as a fraction of ``reach``.
    @_spi(Programs) public let displacement: DiskPoint
    /// The answers for the latest places.
    @_spi(Programs) public private(set) var places: ReducedPlaces
    /// The latest fix and when it was made.
    private var published: Publication?

    private struct Publication {
        let location: Location
        var moment: BootInstant
    }

    /// Nothing is published yet.
    @_spi(Programs) public init(grid: AccuracyGrid, displacement: DiskPoint, places: ReducedPlaces = ReducedPlaces()) {
        self.grid = grid
        self.displacement = displacement
        self.places = places
    }

    /// The same grid for clients that may know the position: what they see is not to depend on the displacement.
    @_spi(Programs) public var withoutDisplacement: ReducedAccuracy {
        var plain = ReducedAccuracy(grid: grid, displacement: .centre)
        plain.interval = interval
        return plain
    }

    /// The longest displacement, metres.
    ///
    /// Its disk is a little larger than a cell, and its root mean square, reach / √2, a little larger than that of a
    /// position in its cell, size / √6: an observer who averages for years learns no more than one who knows the cell.
    @_spi(Programs) public var reach: Double { 0.6 * grid.size }

    /// How far a machine may move, in metres, and still be at the same place.
    private var stickiness: Double { grid.size / 4 }

    /// The accuracy of a fix, metres, up to which the reduced one is as accurate as of an exact fix; see
    /// ``accuracy(of:by:)``.
    @_spi(Programs) public var sufficientAccuracy: Double { stickiness / 2 }

    /// Applies the receiver's fix.
    ///
    /// - Returns: The reduced fix to publish; `nil` if there was one within the last ``interval``.
    @_spi(Programs) public mutating func applyFix(_ location: Location, at now: BootInstant) -> Location? {
        if let last = published?.moment {
            // A clock that went back delays the next fix by at most one interval.
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
    @_spi(Programs) public func current(at now: BootInstant) -> Location? {
        guard let published, now.seconds(since: published.moment) < interval else { return nil }
        return published.location
    }

    /// When the next fix is published at the earliest; `nil` if with the next fix of the receiver.
    @_spi(Programs) public var nextChange: BootInstant? { published?.moment.advanced(bySeconds: interval) }

    /// An upper bound, metres, of the distance between the machine and the reported position: the cell's reach, the
    /// displacement, the distance from the place's anchor and twice the receiver's uncertainty, once for being within
    /// the place and once for the reported position itself.
    private func accuracy(of reported: Coordinate, by location: Location) -> Double {
        // Rounded to these steps, the receiver's accuracy, which could reveal whether the machine is indoors, seldom
        // shows.
        let step = stickiness
        let steps = max(1, (2 * (location.knownAccuracy ?? 0) / step).rounded(.up))
        let bound = grid.reach(from: reported) + reach + stickiness + steps * step
        return (bound / 100).rounded(.up) * 100
    }
}

extension Location {
    /// The receiver's accuracy where it is plausible: at least 0 and at most half a turn of the Earth.
    fileprivate var knownAccuracy: Double? {
        horizontalAccuracy.flatMap { $0 >= 0 ? min($0, 20_003_932) : nil }
    }

    /// The same fix at another position, with only the time, the source and the accuracy.
    fileprivate func reduced(to reported: Coordinate, accuracy: Double) -> Location {
        var reduced = Location(coordinate: reported, monotonicTime: monotonicTime, source: source)
        reduced.horizontalAccuracy = accuracy
        reduced.timestamp = timestamp
        reduced.isTimestampImplausible = isTimestampImplausible
        reduced.sequence = sequence
        return reduced
    }
}

/// The part of reduced accuracy that outlives the daemon.
@_spi(Programs) public struct ReducedMemory: Sendable, Hashable, Codable {
    /// The grid size that the displacement and the places' answers belong to, metres.
    @_spi(Programs) public var size: Double
    /// The machine's secret.
    @_spi(Programs) public var displacement: DiskPoint
    /// The places, the latest first.
    @_spi(Programs) public var places: [ReducedPlace]

    /// The first memory of a machine, with a secret of its own.
    ///
    /// A grid of another size needs a new secret: with one secret for two sizes, two mean positions would reveal it.
    /// - Parameter size: of the grid's cells, metres.
    @_spi(Programs) public init(size: Double, using generator: inout some RandomNumberGenerator) {
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
        /// The target of a moving displacement, in files of earlier versions in which it moved.
        case to
    }

    @_spi(Programs) public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Double.self, forKey: .size)
        displacement =
            try container.decodeIfPresent(DiskPoint.self, forKey: .displacement)
            ?? container.decode(DiskPoint.self, forKey: .to)
        places = try container.decode([ReducedPlace].self, forKey: .places)
    }

    @_spi(Programs) public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encode(displacement, forKey: .displacement)
        try container.encode(places, forKey: .places)
    }
}

extension ReducedAccuracy {
    /// Restores the state from a memory.
    @_spi(Programs) public init(_ memory: ReducedMemory) {
        self.init(
            grid: AccuracyGrid(size: memory.size), displacement: memory.displacement,
            places: ReducedPlaces(memory.places))
    }

    /// The state to persist.
    @_spi(Programs) public var memory: ReducedMemory {
        ReducedMemory(size: grid.size, displacement: displacement, places: places.list)
    }
}
