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

    func contains(_ record: KnownAccessPoint) -> Bool {
        if let since, record.lastDay < since { return false }
        if let until, record.firstDay > until { return false }
        return circle.map { $0.center.distance(to: record.coordinate) <= $0.radius } ?? true
    }
}
