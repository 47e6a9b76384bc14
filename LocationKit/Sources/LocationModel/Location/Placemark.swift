/// A named place, as a geocoder knows it. `nil` is unknown.
public struct Placemark: Sendable, Hashable {
    /// The place's own position.
    public var coordinate: Coordinate
    /// Its name: the first line of an address, or the name of a town.
    public var name: String?
    /// The street.
    public var thoroughfare: String?
    /// The number in the street.
    public var subThoroughfare: String?
    /// A part of the town.
    public var subLocality: String?
    /// The town.
    public var locality: String?
    /// The county or district.
    public var subAdministrativeArea: String?
    /// The state or province.
    public var administrativeArea: String?
    /// The postal code.
    public var postalCode: String?
    /// The country's name in the language asked for, where that is known; else in English.
    public var country: String?
    /// The country by ISO 3166-1 alpha-2, upper case.
    public var countryCode: String?
    /// The time zone by the IANA database's name.
    public var timeZone: String?
    /// The ocean or sea.
    public var ocean: String?
    /// The lake or river.
    public var inlandWater: String?
    /// Points of interest here.
    public var areasOfInterest: [String]?
    /// The nearest known place, however far.
    public var nearestPlace: String?
    /// From the requested position to `coordinate`, metres; `nil` in answers to a name.
    public var distance: Double?
    /// The attribution to show with this place.
    public var attribution: String?

    /// A place of which only the position is known.
    public init(coordinate: Coordinate) {
        self.coordinate = coordinate
    }
}

extension Placemark: Codable {
    private enum CodingKeys: String, CodingKey {
        case latitude, longitude, name, thoroughfare, subThoroughfare, subLocality, locality, subAdministrativeArea
        case administrativeArea, postalCode, country, countryCode, timeZone, ocean, inlandWater, areasOfInterest
        case nearestPlace, distance, attribution
    }

    /// Decodes the wire's form; the coordinate's members are at the same level as the others.
    public init(from decoder: any Decoder) throws {
        coordinate = try Coordinate(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        name = try text(.name)
        thoroughfare = try text(.thoroughfare)
        subThoroughfare = try text(.subThoroughfare)
        subLocality = try text(.subLocality)
        locality = try text(.locality)
        subAdministrativeArea = try text(.subAdministrativeArea)
        administrativeArea = try text(.administrativeArea)
        postalCode = try text(.postalCode)
        country = try text(.country)
        countryCode = try text(.countryCode)
        timeZone = try text(.timeZone)
        ocean = try text(.ocean)
        inlandWater = try text(.inlandWater)
        areasOfInterest = try container.decodeIfPresent([String].self, forKey: .areasOfInterest)
        nearestPlace = try text(.nearestPlace)
        distance = try container.decodeIfPresent(Double.self, forKey: .distance)
        attribution = try text(.attribution)
    }

    /// Encodes the wire's form.
    public func encode(to encoder: any Encoder) throws {
        try coordinate.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(thoroughfare, forKey: .thoroughfare)
        try container.encodeIfPresent(subThoroughfare, forKey: .subThoroughfare)
        try container.encodeIfPresent(subLocality, forKey: .subLocality)
        try container.encodeIfPresent(locality, forKey: .locality)
        try container.encodeIfPresent(subAdministrativeArea, forKey: .subAdministrativeArea)
        try container.encodeIfPresent(administrativeArea, forKey: .administrativeArea)
        try container.encodeIfPresent(postalCode, forKey: .postalCode)
        try container.encodeIfPresent(country, forKey: .country)
        try container.encodeIfPresent(countryCode, forKey: .countryCode)
        try container.encodeIfPresent(timeZone, forKey: .timeZone)
        try container.encodeIfPresent(ocean, forKey: .ocean)
        try container.encodeIfPresent(inlandWater, forKey: .inlandWater)
        try container.encodeIfPresent(areasOfInterest, forKey: .areasOfInterest)
        try container.encodeIfPresent(nearestPlace, forKey: .nearestPlace)
        try container.encodeIfPresent(distance, forKey: .distance)
        try container.encodeIfPresent(attribution, forKey: .attribution)
    }
}
