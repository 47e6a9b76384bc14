@_spi(Programs) package import LocationModel

/// A geocoder: finds placemarks for positions, and positions for names.
package protocol PlaceProvider: Sendable {
    /// The placemarks at a position, the best one first; never empty.
    func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark]

    /// The placemarks of places with that name, the best one first; never empty.
    func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark]

    /// The provider for one user: other users' queries delay its answers by no more than their turns, and never speed
    /// them up.
    func serving(uid: UInt32) -> Self
}

extension PlaceProvider {
    package func serving(uid: UInt32) -> Self { self }
}

/// Why a query has no answer.
package enum PlacesError: Error, Sendable, Hashable {
    /// Nothing was found.
    case noResult
    /// A partial answer: the rest failed.
    case partialResult([Placemark])
    /// The network, the remote service or the database failed; in words.
    case network(String)
    /// The client cancelled the query.
    case cancelled
    /// The given number of calls wait already.
    case busy(limit: Int)
}
