/// A place the machine was at, and the position it is known by there.
package struct ReducedPlace: Sendable, Hashable, Codable {
    /// The position when the place was first seen.
    package let anchor: Coordinate
    /// The middle of a cell, told instead.
    package let reported: Coordinate
    /// True once it was told again: the machine rests here or has come back.
    package var isSettled = false
}

/// The places that were told, so that one place has one answer.
///
/// Near the border of a cell a receiver's noise would else tell how near it is, to whoever has found out the displacement.
/// So the machine's ``capacity`` latest places keep their answers. What is passed on the way is forgotten before where
/// the machine rests.
package struct ReducedPlaces: Sendable, Hashable {
    /// How many places are remembered.
    package static let capacity = 32

    /// The latest first, that is the present one.
    package private(set) var list: [ReducedPlace]

    /// Places remembered, the latest first; those beyond the capacity are forgotten.
    package init(_ list: [ReducedPlace] = []) {
        self.list = Array(list.prefix(Self.capacity))
    }

    /// The answer of a place within so many metres, a settled one before others and the latest before older; else a
    /// new place's. The present place is left only by `slack` metres more, which are what the position may be off: a
    /// bad fix neither makes a place nor tells of another.
    package mutating func answer(
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
    /// True if the other position is at most so many metres away.
    fileprivate func isWithin(_ radius: Double, of other: Coordinate) -> Bool {
        // Bounds by the shortest and the longest degree, metres, spare most of the geodesics.
        let (north, east) = (abs(latitude - other.latitude), abs(longitude - other.longitude))
        if north * 110_574 > radius { return false }
        return (north + east) * 111_695 <= radius || distance(to: other) <= radius
    }
}
