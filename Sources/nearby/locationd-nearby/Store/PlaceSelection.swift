import AccessPoints
import LocationModel

/// Which access points are to be forgotten: those that meet each condition that is not `nil`.
struct PlaceSelection: Sendable, Equatable {
    /// Around which position, and how far, metres.
    var circle: Circle?
    /// Days since 1970-01-01, UTC: received on this day or later.
    var since: Int?
    /// Received on this day or earlier.
    var until: Int?

    struct Circle: Sendable, Equatable {
        let center: Coordinate
        let radius: Double
    }

    /// What is not forgotten of an access point; `nil` if nothing is left.
    func remainder(of record: KnownAccessPoint) -> KnownAccessPoint? {
        guard !contains(record.coordinate, from: record.firstDay, to: record.lastDay) else { return nil }
        var rest = record
        if let other = record.candidate, contains(other.coordinate, from: other.day, to: other.day) {
            rest.candidate = nil
        }
        return rest
    }

    private func contains(_ coordinate: Coordinate, from first: Int, to last: Int) -> Bool {
        if let since, last < since { return false }
        if let until, first > until { return false }
        return circle.map { $0.center.distance(to: coordinate) <= $0.radius } ?? true
    }
}
