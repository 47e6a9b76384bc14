import LocationModel
import Logging
import OfflinePlaces
import Places
import Synchronization

/// The database of places, opened by the first call that needs it. One that is not there may come later.
///
/// Ownership: what is open lies behind a lock, which is held while it is opened: a few milliseconds, once.
final class Database: PlaceProvider {
    private let path: String
    private let logger: Logger
    private let opened = Mutex<OfflinePlaces?>(nil)

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        try await places().placemarks(at: coordinate, locale: locale)
    }

    func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark] {
        try await places().placemarks(named: text, locale: locale, limit: limit)
    }

    private func places() throws(PlacesError) -> OfflinePlaces {
        do throws(PlacesError) {
            return try opened.withLock { opened throws(PlacesError) in
                if let opened { return opened }
                let places = try OfflinePlaces(path: path)
                opened = places
                return places
            }
        } catch {
            logger.warning(
                "the database of places cannot be opened",
                metadata: ["path": "\(path)", "advice": "install locationd-geodata, or name another in places.toml"])
            throw error
        }
    }
}
