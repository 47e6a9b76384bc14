@_spi(Programs) internal import LocationModel

/// The answer for a position.
struct PlaceAnswer {
    /// The nearest place of the country, if the position counts as in it; else the nearest of all.
    private let place: Place
    /// The distance to the place, metres.
    private let distance: Double
    private let country: String?
    private let timeZone: String
    /// Whether the position counts as in the place.
    private let isThere: Bool

    /// - Returns: `nil` if the database has no place.
    init?(at coordinate: Coordinate, without hidden: Int64?, in access: PlacesDatabase.Access) throws {
        let zone = try TimeZoneArea.at(coordinate, in: access)
        var radius = 8000.0
        while true {
            let nearby = try NearbyPlaces(of: coordinate, radius: radius, without: hidden, in: access)
            let home = nearby.nearest(of: zone.countries)
            // A single country is certain without a place; of several, the country of the nearest place is used.
            let isDecided = home != nil || zone.countries.count < 2
            let searched = radius >= OfflinePlaces.townRadius && isDecided
            if home != nil || searched, let any = nearby.nearest() {
                isThere = home.map { $0.distance <= OfflinePlaces.townRadius } ?? false
                let chosen = isThere ? home ?? any : any
                place = try Place(id: chosen.id, in: access)
                distance = chosen.distance
                country = home?.country ?? zone.countries.first
                // A zone has the name that its first country uses; other countries with that zone use their own, which
                // their places have.
                timeZone = isThere && country != zone.countries.first ? place.timeZone : zone.name
                return
            }
            // No distance on the Earth is greater than half its circumference.
            guard radius < 20_100_000 else { return nil }
            try Task.checkCancellation()
            // Searching empty boxes is cheap, searching crowded ones is not.
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
