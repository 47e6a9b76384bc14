package import LocationModel
package import Logging
package import Places

/// Places from a service on the network.
package struct OnlinePlaces: PlaceProvider {
    package init(settings: OnlineSettings, logger: Logger) throws(PlacesError) {}

    package func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        throw .noResult
    }

    package func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark] {
        throw .noResult
    }
}
