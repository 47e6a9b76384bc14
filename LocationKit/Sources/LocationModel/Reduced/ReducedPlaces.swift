/// A place where the machine was, and the position reported for it.
@_spi(Programs) public struct ReducedPlace: Sendable, Hashable, Codable {
    /// The position when the place was first seen.
    @_spi(Programs) public let anchor: Coordinate
    /// The middle of a cell, reported in place of the position.
    @_spi(Programs) public let reported: Coordinate
    /// True once it was reported again: the machine stays here or has come back.
    @_spi(Programs) public var isSettled = false
}

/// The places already reported, so that one place has one answer.
///
/// Otherwise, near the border of a cell, a receiver's noise would reveal how near the border is to anyone who knows the
/// displacement. So the machine's ``capacity`` latest places keep their answers. Places passed on the way are forgotten
/// before places where the machine stayed.
@_spi(Programs) public struct ReducedPlaces: Sendable, Hashable {
    /// How many places are remembered.
    @_spi(Programs) public static let capacity = 32

    /// The latest first, that is the present one.
    @_spi(Programs) public private(set) var list: [ReducedPlace]

    /// Places remembered, the latest first; those beyond the capacity are forgotten.
    @_spi(Programs) public init(_ list: [ReducedPlace] = []) {
        self.list = Array(list.prefix(Self.capacity))
    }

    /// The answer of a known place within the given metres, preferring settled ones and then the latest; otherwise a
    /// new place's. The machine leaves the present place only when it is `slack` metres farther, which is the
    /// position's uncertainty: a bad fix neither creates a place nor reveals another.
    @_spi(Programs) public mutating func answer(
        for position: Coordinate, within radius: Double, slack: Double, orElse draw: (Coordinate) -> Coordinate
    ) -> Coordinate {
        func isNear(_ index: Int) -> Bool {
            list[index].anchor.isWithin(index == 0 ? radius + slack : radius, of: position)
        }
        let known =
            list.indices.first { list[$0].isSettled && isNear($0) }
            ?? list.indices.first { !list[$0].isSettled && isNear($0) }
        let place: ReducedPlace
        if let known {
            let old = list.remove(at: known)
            place = ReducedPlace(anchor: old.anchor, reported: old.reported, isSettled: true)
        } else {
            place = ReducedPlace(anchor: position, reported: draw(position))
            if list.count >= Self.capacity {
                list.remove(at: list.lastIndex { !$0.isSettled } ?? list.count - 1)
            }
        }
        list.insert(place, at: 0)
        return place.reported
    }
}

extension Coordinate {
    /// True if the other position is at most this many metres away.
    fileprivate func isWithin(_ radius: Double, of other: Coordinate) -> Bool {
        // Bounds from the shortest and the longest degree, in metres, avoid most of the geodesics.
        let (north, east) = (abs(latitude - other.latitude), abs(longitude - other.longitude))
        if north * 110_574 > radius { return false }
        return (north + east) * 111_695 <= radius || distance(to: other) <= radius
    }
}
