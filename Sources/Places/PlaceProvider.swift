package import LocationModel

/// Who knows the names of places.
package protocol PlaceProvider: Sendable {
    /// What is at a position, the best answer first; never empty.
    func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark]

    /// Where something of that name is, the best answer first; never empty.
    func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark]

    /// The provider for one user: what others ask neither delays nor hastens its answers by more than their turns.
    func serving(uid: UInt32) -> Self
}

extension PlaceProvider {
    package func serving(uid: UInt32) -> Self { self }
}

/// Why there is no answer.
package enum PlacesError: Error, Sendable, Hashable {
    /// Nothing is known of it.
    case noResult
    /// This much is known, and the rest could not be had.
    case partialResult([Placemark])
    /// The network, who answers there, or the database failed; in words.
    case network(String)
    /// The asker gave up.
    case cancelled
    /// So many calls wait already.
    case busy(limit: Int)
}
