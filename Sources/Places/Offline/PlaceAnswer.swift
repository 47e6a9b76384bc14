internal import LocationModel

/// What is said of a position.
struct PlaceAnswer {
    /// The nearest place: of the country, where it is near enough to be there; else of all.
    private let place: Place
    /// To the place, metres.
    private let distance: Double
    private let country: String?
    private let timeZone: String
    /// Whether the position is near enough to the place to be there.
    private let isThere: Bool

    /// - Returns: `nil` if no place is known at all.
    init?(at coordinate: Coordinate, without hidden: Int64?, in access: PlacesDatabase.Access) throws {
        let zone = try TimeZoneArea.at(coordinate, in: access)
        var radius = 8000.0
        while true {
            let nearby = try NearbyPlaces(of: coordinate, radius: radius, without: hidden, in: access)
            let home = nearby.nearest(of: zone.countries)
            // One country needs no place to be known; of several, that of the nearest place is taken.
            let isDecided = home != nil || zone.countries.count < 2
            let searched = radius >= OfflinePlaces.townRadius && isDecided
            if home != nil || searched, let any = nearby.nearest() {
                isThere = home.map { $0.distance <= OfflinePlaces.townRadius } ?? false
                let chosen = isThere ? home ?? any : any
                place = try Place(id: chosen.id, in: access)
                distance = chosen.distance
                country = home?.country ?? zone.countries.first
                // A zone's name is of its first country; others that keep it have their own name for it.
                timeZone = isThere && country != zone.countries.first ? place.timeZone : zone.name
                return
            }
            // Beyond half a turn of the Earth there is nothing.
            guard radius < 20_100_000 else { return nil }
            try Task.checkCancellation()
            // Empty boxes are cheap, crowded ones are not.
            radius = min(radius * 1.7, 20_100_000)
        }
    }

    func placemark(locale: String?, in access: PlacesDatabase.Access) throws -> Placemark {
        var placemark = Placemark(coordinate: place.coordinate)
        placemark.distance = distance
        placemark.nearestPlace = isThere ? nil : place.name
        placemark.name = isThere ? place.name : nil
        placemark.locality = placemark.name
        placemark.administrativeArea = isThere ? place.administrativeArea : nil
        placemark.countryCode = country
        placemark.country = try country.flatMap { try CountryName.of($0, locale: locale, in: access) }
        placemark.timeZone = timeZone
        placemark.attribution = access.fixed.attribution
        return placemark
    }
}
