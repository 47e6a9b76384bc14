package import LocationModel
package import Places

/// Places from a database on this machine.
package struct OfflinePlaces: PlaceProvider {
    package init(path: String) throws(PlacesError) {}

    package func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        throw .noResult
    }

    package func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark] {
        throw .noResult
    }
}
