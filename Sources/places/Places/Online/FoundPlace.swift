@_spi(Programs) import LocationModel

/// A place from OpenStreetMap, in the terms that both services share. `nil` is unknown.
struct FoundPlace {
    var coordinate: Coordinate
    /// The key and the value of its main tag, such as `place` and `city`.
    var key: String?
    var value: String?
    var name: String?
    var street: String?
    var houseNumber: String?
    var district: String?
    var town: String?
    var county: String?
    var state: String?
    var postalCode: String?
    var country: String?
    /// In upper or lower case.
    var countryCode: String?
    /// Points of interest in the address.
    var sights: [String] = []
    var attribution: String

    /// OpenStreetMap's keys of points of interest.
    static let sightKeys = [
        "tourism", "historic", "leisure", "amenity", "natural", "aeroway", "railway", "shop", "office", "craft", "club",
        "man_made", "military",
    ]

    /// Countries in which the house number precedes the street (Universal Postal Union, addressing systems of the
    /// countries).
    private static let numberFirst: Set<String> = [
        "AU", "BD", "CA", "CI", "EG", "FR", "GB", "GH", "IE", "IN", "JM", "KE", "LK", "LU", "MA", "MC", "MY", "NG",
        "NZ",
        "PH", "PK", "SG", "SN", "TH", "TN", "US", "ZA", "ZW",
    ]

    var placemark: Placemark {
        var placemark = Placemark(coordinate: coordinate)
        placemark.thoroughfare = street
        placemark.subThoroughfare = houseNumber
        placemark.subLocality = district
        placemark.locality = town
        placemark.subAdministrativeArea = county
        placemark.administrativeArea = state
        placemark.postalCode = postalCode
        placemark.country = country
        placemark.countryCode = validCountryCode
        placemark.name = name ?? firstLine ?? district ?? town ?? county ?? state ?? country
        placemark.attribution = attribution
        switch (key, value) {
        case ("place", "ocean"), ("place", "sea"): placemark.ocean = name
        case ("natural", "water"), ("water", _), ("waterway", "river"), ("waterway", "stream"), ("waterway", "canal"):
            placemark.inlandWater = name
        default:
            let own = key.map(Self.sightKeys.contains) == true ? name.map { [$0] } ?? [] : []
            let all = own + sights.filter { !own.contains($0) }
            placemark.areasOfInterest = all.isEmpty ? nil : all
        }
        return placemark
    }

    private var firstLine: String? {
        guard let street else { return nil }
        guard let houseNumber else { return street }
        let isNumberFirst = validCountryCode.map(Self.numberFirst.contains) == true
        return isNumberFirst ? "\(houseNumber) \(street)" : "\(street) \(houseNumber)"
    }

    private var validCountryCode: String? {
        guard let code = countryCode?.uppercased(), code.utf8.count == 2 else { return nil }
        return code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ? code : nil
    }
}
