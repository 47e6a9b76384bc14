import FoundationEssentials
@_spi(Programs) import LocationModel

/// Nominatim's response to /reverse, one place or an error, and to /search, a list of places, in the format `jsonv2`
/// (nominatim.org, "Place Output").
struct NominatimAnswer: Decodable {
    /// The places that have a position, in the service's order.
    private(set) var places: [FoundPlace] = []
    /// True if the response states that nothing was found.
    private(set) var isNothing = false

    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            isNothing = list.isAtEnd
            while !list.isAtEnd {
                // A failed decode does not advance the list by itself.
                let element = try list.superDecoder()
                if let place = (try? element.container(keyedBy: AnyKey.self)).flatMap(Self.place) {
                    places.append(place)
                }
            }
            return
        }
        let container = try decoder.container(keyedBy: AnyKey.self)
        if let place = Self.place(container) { places = [place] }
        isNothing = container.text("error")?.lowercased().hasPrefix("unable to geocode") == true
    }

    private static func place(_ container: KeyedDecodingContainer<AnyKey>) -> FoundPlace? {
        guard let latitude = container.number("lat"), let longitude = container.number("lon"),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        var place = FoundPlace(
            coordinate: coordinate, attribution: container.text("licence") ?? OpenStreetMap.attribution)
        place.key = container.text("category", "class")
        place.value = container.text("type")
        place.name = container.text("name")
        guard let address = container.object("address") else { return place }
        place.street = address.text("road", "pedestrian", "footway", "path", "street", "square")
        place.houseNumber = address.text("house_number")
        place.district = address.text(
            "suburb", "borough", "city_district", "district", "subdivision", "quarter", "neighbourhood")
        place.town = address.text("city", "town", "village", "hamlet", "municipality")
        place.county = address.text("county", "state_district")
        place.state = address.text("state", "province", "region")
        place.postalCode = address.text("postcode")
        place.country = address.text("country")
        place.countryCode = address.text("country_code")
        place.sights = FoundPlace.sightKeys.compactMap { address.text($0) }
        return place
    }
}

enum OpenStreetMap {
    /// The attribution that the licence requires (openstreetmap.org/copyright).
    static let attribution = "© OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright"
}
