@_spi(Programs) package import LocationModel

/// Places from a database on this machine: those with a population of 1,000 and more, without a network.
///
/// Borders determine country and time zone of a position; the nearest place of that country determines town and
/// administrative area. Beyond ``townRadius`` there is neither of the latter. Outside of territorial waters there is no
/// country, and the time zone is the nautical one.
package struct OfflinePlaces: PlaceProvider {
    /// The greatest distance from a place's centre at which a position still counts as in the place, metres.
    package static let townRadius = 25_000.0

    /// The number of queries answered at a time.
    package static let readers = 2

    private let database: PlacesDatabase

    /// Opens the database and reads its small tables.
    ///
    /// - Throws: `PlacesError.network` with the file, what is wrong with it, and the remedy.
    package init(path: String) throws(PlacesError) {
        database = try PlacesDatabase(path: path)
    }

    package func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        try await placemarks(at: coordinate, locale: locale, without: nil)
    }

    /// The answer as if one place were unknown, to test the database against the position of that place.
    package func placemarks(
        at coordinate: Coordinate, locale: String?, without hidden: Int64?
    ) async throws(PlacesError) -> [Placemark] {
        let found = try await database.read { access in
            let answer = try PlaceAnswer(at: coordinate, without: hidden, in: access)
            return try answer?.placemark(locale: locale, in: access)
        }
        guard let found else { throw .noResult }
        return [found]
    }

    package func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark] {
        let query = NameQuery(text)
        let found = try await database.read { access in
            try query.places(limit: limit, in: access).map { try $0.placemark(locale: locale, in: access) }
        }
        guard !found.isEmpty else { throw .noResult }
        return found
    }
}
