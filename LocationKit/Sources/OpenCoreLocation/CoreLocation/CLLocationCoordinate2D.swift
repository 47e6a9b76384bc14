import Foundation
@_spi(Programs) public import LocationModel

/// A latitude and a longitude on WGS 84.
///
/// Any numbers can be stored; ``CLLocationCoordinate2DIsValid(_:)`` checks them. As in CoreLocation it is not
/// `Equatable`, `Hashable` or `Codable`, so a program may add these conformances.
public struct CLLocationCoordinate2D: Sendable, BitwiseCopyable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees east of the prime meridian.
    public var longitude: CLLocationDegrees

    /// Latitude and longitude 0.
    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    /// A coordinate from numbers, which are not checked.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// An invalid coordinate.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// True if the latitude is within ±90° and the longitude within ±180°.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    Coordinate(latitude: coord.latitude, longitude: coord.longitude) != nil
}

/// A coordinate from numbers, which are not checked.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

extension CLLocationCoordinate2D {
    @_spi(Programs) public init(_ coordinate: Coordinate) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }

    /// The length of the geodesic to another place, metres.
    ///
    /// Longitudes beyond ±180° wrap around, as sums and differences of longitudes require.
    /// - Returns: `nil` if either is invalid.
    @_spi(Programs) public func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance? {
        guard let here = place, let there = other.place else { return nil }
        return here.distance(to: there)
    }

    /// For example `<+52.52000000,+13.40500000>`.
    var text: String { String(format: "<%+.8f,%+.8f>", latitude, longitude) }

    /// The coordinate in LocationKit; `nil` if it is invalid.
    var place: Coordinate? {
        Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
    }
}
