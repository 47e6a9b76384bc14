@_spi(Programs) import LocationModel
import Logging
import Places
import Synchronization

/// The database of places, opened by the first call that needs it. A missing file may be installed later.
///
/// Ownership: the open database is behind a lock, which is held while it is opened: a few milliseconds, once.
final class Database: PlaceProvider {
    private struct State {
        var places: OfflinePlaces?
        var isMissingLogged = false
    }

    private let path: String
    private let logger: Logger
    private let state = Mutex(State())

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
        try state.withLock { state throws(PlacesError) in
            if let places = state.places { return places }
            do throws(PlacesError) {
                let places = try OfflinePlaces(path: path)
                state.places = places
                return places
            } catch {
                if !state.isMissingLogged {
                    logger.warning(
                        "the database of places cannot be used", metadata: ["reason": "\(Self.words(error))"])
                }
                state.isMissingLogged = true
                throw error
            }
        }
    }

    private static func words(_ error: PlacesError) -> String {
        if case .network(let reason) = error { reason } else { "\(error)" }
    }
}
