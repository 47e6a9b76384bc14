public import Foundation
@_spi(Programs) public import LocationModel

/// A visit: a stay at a place.
///
/// It begins after five minutes within 50 m, and ends when the machine is more than 100 m away, according to fixes with
/// an accuracy of at most 100 m. A stay of less than ten minutes may be missed.
/// The dates are those when the machine stopped at the place and when it left.
// Unchecked: the class is open, and its values never change.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private struct Values: Codable {
        var latitude = kCLLocationCoordinate2DInvalid.latitude
        var longitude = kCLLocationCoordinate2DInvalid.longitude
        var horizontalAccuracy = -1.0
        /// `nil` if not known.
        var arrival, departure: Date?
    }

    private let values: Values

    /// A visit without values, for subclasses.
    public override init() {
        values = Values()
    }

    @_spi(Programs) public init(_ visit: Visit) {
        values = Values(
            latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude,
            horizontalAccuracy: visit.horizontalAccuracy, arrival: visit.arrival.map(Date.init(_:)),
            departure: visit.isPresent ? nil : visit.departure.map(Date.init(_:)) ?? Date())
    }

    /// - Returns: `nil` if the archive holds no visit of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(Values.self) else { return nil }
        self.values = values
    }

    /// Archives everything; the format differs from Apple's.
    open func encode(with coder: NSCoder) {
        coder.encode(values: values)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The place; invalid if not known.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }
    /// Radius of the circle that contains the place, metres; negative if not known.
    open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }
    /// When the visit began; the distant past if not known.
    open var arrivalDate: Date { values.arrival ?? .distantPast }
    /// When the visit ended; the distant future if it has not. If the receiver did not know the time, when the end was
    /// reported.
    open var departureDate: Date { values.departure ?? .distantFuture }
}

extension Date {
    init(_ time: UTCTime) {
        self.init(timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1e9)
    }
}
