import FoundationEssentials
@_spi(Programs) import LocationModel

/// Photon's response: GeoJSON, whose properties follow the GeocodeJSON draft (github.com/komoot/photon,
/// docs/api-v1.md).
struct PhotonAnswer: Decodable {
    /// The places that have a position, in the service's order.
    private(set) var places: [FoundPlace] = []
    /// True if the response states that nothing was found.
    private(set) var isNothing = false

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        var list = try container.nestedUnkeyedContainer(forKey: AnyKey("features"))
        isNothing = list.isAtEnd
        while !list.isAtEnd {
            let element = try list.superDecoder()
            if let place = (try? element.container(keyedBy: AnyKey.self)).flatMap(Self.place) { places.append(place) }
        }
    }

    private static func place(_ container: KeyedDecodingContainer<AnyKey>) -> FoundPlace? {
        guard let numbers = try? container.object("geometry")?.decode([Double].self, forKey: AnyKey("coordinates")),
            numbers.count >= 2, let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0]),
            let properties = container.object("properties")
        else { return nil }
        var place = FoundPlace(coordinate: coordinate, attribution: OpenStreetMap.attribution)
        place.key = properties.text("osm_key")
        place.value = properties.text("osm_value")
        place.name = properties.text("name")
        place.houseNumber = properties.text("housenumber")
        place.street = properties.text("street")
        place.district = properties.text("district", "locality")
        place.town = properties.text("city")
        place.county = properties.text("county")
        place.state = properties.text("state")
        place.postalCode = properties.text("postcode")
        place.country = properties.text("country")
        place.countryCode = properties.text("countrycode")
        place.nameItself(as: properties.text("type"))
        return place
    }
}

extension FoundPlace {
    /// Adds the place's own name to its address, from which Photon omits it.
    fileprivate mutating func nameItself(as type: String?) {
        switch type {
        case "street": street = street ?? name
        case "district", "locality": district = district ?? name
        case "city": town = town ?? name
        case "county": county = county ?? name
        case "state": state = state ?? name
        case "country": country = country ?? name
        default: break
        }
    }
}
