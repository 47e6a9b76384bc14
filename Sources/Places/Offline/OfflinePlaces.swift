package import LocationModel

/// Places from a database on this machine: those of 1,000 people and more, without a network.
///
/// Which country and time zone a position is in, borders say; which town and administrative area, the nearest place of
/// that country. Beyond ``townRadius`` there is neither of the latter; outside of territorial waters there is no country,
/// and the time zone is the ship's.
package struct OfflinePlaces: PlaceProvider {
    /// How far from a place's middle one is still said to be there, metres.
    package static let townRadius = 25_000.0

    /// How many questions are answered at a time.
    package static let readers = 2

    private let database: PlacesDatabase

    /// Opens the database, and reads a little of it.
    ///
    /// - Throws: `PlacesError.network` that names the file, what is wrong with it, and what to do.
    package init(path: String) throws(PlacesError) {
        database = try PlacesDatabase(path: path)
    }

    package func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        try await placemarks(at: coordinate, locale: locale, without: nil)
    }

    /// The same as if one place were not known, so that what is said of its position can be compared with it.
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
