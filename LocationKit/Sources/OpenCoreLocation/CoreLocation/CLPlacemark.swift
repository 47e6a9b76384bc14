public import Foundation
@_spi(Programs) import LocationModel

/// A place with the known parts of its address.
///
/// As in CoreLocation, two placemarks are equal only if they are the same object.
// Unchecked: the class is open, and stores constants of Sendable types.
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let values: Placemark
    /// When the placemark was received.
    private let time: Date

    /// A copy of another placemark.
    public init(placemark: CLPlacemark) {
        values = placemark.values
        time = placemark.time
    }

    init(_ values: Placemark, time: Date = Date()) {
        self.values = values
        self.time = time
    }

    private struct Archive: Codable {
        let values: Placemark
        let time: Date
    }

    /// - Returns: `nil` if the archive holds no placemark of this module.
    public required init?(coder: NSCoder) {
        guard let archive = coder.decodeValues(Archive.self) else { return nil }
        values = archive.values
        time = archive.time
    }

    /// Archives everything; the format differs from Apple's.
    open func encode(with coder: NSCoder) {
        coder.encode(values: Archive(values: values, time: time))
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The position of the place itself, which may be some way from the requested one. Its accuracy is given as 100 m,
    /// because no source reports it.
    open var location: CLLocation? {
        CLLocation(
            coordinate: CLLocationCoordinate2D(values.coordinate), altitude: 0, horizontalAccuracy: Self.accuracy,
            verticalAccuracy: -1, timestamp: time)
    }
    /// Metres.
    private static let accuracy = 100.0

    /// Always `nil`: no source reports the extent of a place.
    open var region: CLRegion? { nil }
    /// The time zone there.
    open var timeZone: TimeZone? { values.timeZone.flatMap { TimeZone(identifier: $0) } }
    /// The name: of an address its first line, of a town its name.
    open var name: String? { values.name }
    /// The street.
    open var thoroughfare: String? { values.thoroughfare }
    /// The number in the street.
    open var subThoroughfare: String? { values.subThoroughfare }
    /// The town.
    open var locality: String? { values.locality }
    /// A part of the town.
    open var subLocality: String? { values.subLocality }
    /// The state or province.
    open var administrativeArea: String? { values.administrativeArea }
    /// The county or district.
    open var subAdministrativeArea: String? { values.subAdministrativeArea }
    /// The postal code.
    open var postalCode: String? { values.postalCode }
    /// The country by ISO 3166-1 alpha-2, upper case.
    open var isoCountryCode: String? { values.countryCode }
    /// The country's name.
    open var country: String? { values.country }
    /// The lake or river.
    open var inlandWater: String? { values.inlandWater }
    /// The ocean or sea.
    open var ocean: String? { values.ocean }
    /// Things of interest here.
    open var areasOfInterest: [String]? { values.areasOfInterest }
    /// The attribution that the source's licence requires wherever the placemark is shown. Apple's class has no such
    /// property.
    open var attribution: String? { values.attribution }

    /// For example `Zürich, Zürich, Switzerland @ <+47.36667000,+8.55000000> +/- 100.00m`.
    open override var description: String {
        let street = [subThoroughfare, thoroughfare].compactMap(\.self).joined(separator: " ")
        let parts = [name, street, locality, administrativeArea, postalCode, country ?? ocean ?? inlandWater]
        var words: [String] = []
        for case let part? in parts where !part.isEmpty && part != words.last { words.append(part) }
        let place = CLLocationCoordinate2D(values.coordinate).text
        return "\(words.joined(separator: ", ")) @ \(place) +/- \(String(format: "%.2f", Self.accuracy))m"
    }
}
