public import Foundation
import LocationModel

/// What is at a place: the parts of its address, as far as they are known.
///
/// As at Apple's, two placemarks are equal only if they are the same object.
// Unchecked, for the class is open: what it stores is constants of Sendable types.
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let values: Placemark
    /// When it was learned.
    private let time: Date

    /// The same as another placemark says.
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

    /// Archives everything; Apple's archives are of another form.
    open func encode(with coder: NSCoder) {
        coder.encode(values: Archive(values: values, time: time))
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Where the place itself is, which may be some way from the position asked about. Its accuracy is given as 100 m, for
    /// no source tells it.
    open var location: CLLocation? {
        CLLocation(
            coordinate: CLLocationCoordinate2D(values.coordinate), altitude: 0, horizontalAccuracy: Self.accuracy,
            verticalAccuracy: -1, timestamp: time)
    }
    /// Metres.
    private static let accuracy = 100.0

    /// Always `nil`: no source tells how far a place reaches.
    open var region: CLRegion? { nil }
    /// The time zone there.
    open var timeZone: TimeZone? { values.timeZone.flatMap { TimeZone(identifier: $0) } }
    /// What it is called: of an address its first line, of a town its name.
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
    /// Things of note here.
    open var areasOfInterest: [String]? { values.areasOfInterest }
    /// Whom to name where this is shown, as the source's licence asks. Apple's has no such property.
    open var attribution: String? { values.attribution }

    /// Such as `Zürich, Zürich, Switzerland @ <+47.36667000,+8.55000000> +/- 100.00m`.
    open override var description: String {
        let street = [subThoroughfare, thoroughfare].compactMap(\.self).joined(separator: " ")
        let parts = [name, street, locality, administrativeArea, postalCode, country ?? ocean ?? inlandWater]
        var words: [String] = []
        for case let part? in parts where !part.isEmpty && part != words.last { words.append(part) }
        let place = CLLocationCoordinate2D(values.coordinate).text
        return "\(words.joined(separator: ", ")) @ \(place) +/- \(String(format: "%.2f", Self.accuracy))m"
    }
}
