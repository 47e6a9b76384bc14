import HTTPRequests
@_spi(Programs) package import LocationModel
package import Logging
@_spi(Programs) package import SystemSupport

/// Places from a network service: Nominatim or Photon, by the settings.
///
/// Each user's earlier answers come from the cache, and equal queries of one user at the same time share one request.
/// Users do not share answers: an immediate answer would reveal that another user had queried the place, most likely
/// because the machine is there. One request at a time is in progress, at the configured rate, and none while the
/// service asks for a pause; users take turns. A request contains the position, rounded to 5 decimals (1 m), or the
/// text, the language, and the contact.
package struct OnlinePlaces: PlaceProvider {
    private let settings: OnlineSettings
    private let service: ProviderRequests
    private let cache: PlaceCache?
    private let shared = SharedQueries<[Placemark]>()
    private var uid: UInt32 = 0

    /// - Parameter version: The program's version, which is sent to the service.
    /// - Throws: if libcurl, which only online places use, is missing.
    package init(settings: OnlineSettings, version: String, logger: Logger) throws(PlacesError) {
        try self.init(settings: settings, version: version, logger: logger, clock: .machine)
    }

    /// - Parameters:
    ///   - waitingLimit: The most requests that may wait for their turn.
    ///   - library: The library's name for dlopen(3).
    package init(
        settings: OnlineSettings, version: String, logger: Logger, clock: ServiceClock, waitingLimit: Int = 64,
        library: String = "libcurl.so.4"
    ) throws(PlacesError) {
        self.settings = settings
        cache = settings.cachePath.map { path in
            PlaceCache(
                path: path, expiry: settings.cacheExpiry, size: settings.cacheSize, clock: clock, logger: logger)
        }
        let client: HTTPClient
        let agent = "locationd-places/\(version) (\(settings.contact))"
        do throws(LibraryMissing) {
            client = try HTTPClient(userAgent: agent, clock: clock, library: library)
        } catch {
            throw .network("\(error), or choose the offline provider")
        }
        service = ProviderRequests(
            settings: settings, client: client,
            line: ProviderRateLimiter(
                rate: settings.rate, patience: settings.timeout, limit: waitingLimit, clock: clock),
            cache: cache, logger: logger)
    }

    /// The placemarks at a position.
    /// - Parameter locale: A language tag; without one, names are in English where there is an English one.
    package func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        try await answer(OnlineQuery(.position(coordinate), locale: locale)).map { placemark in
            var placemark = placemark
            placemark.distance = coordinate.distance(to: placemark.coordinate)
            return placemark
        }
    }

    /// The placemarks for a text.
    /// - Parameter limit: The most placemarks; the services return 40 at most.
    package func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark] {
        let limit = max(1, min(limit, 40))
        return Array(try await answer(OnlineQuery(.name(text, limit: limit), locale: locale)).prefix(limit))
    }

    package func serving(uid: UInt32) -> Self {
        var mine = self
        mine.uid = uid
        return mine
    }

    /// The number of queries that wait for an equal query's answer.
    package var sharingCount: Int { shared.waitingCount }
    /// The number of requests that wait for their turn.
    package var waitingCount: Int { service.line.waitingCount }

    private func answer(_ question: OnlineQuery) async throws(PlacesError) -> [Placemark] {
        let key = "\(uid) \(settings.provider) \(settings.url) \(question.key)"
        let placemarks = try await shared.answer(to: key) { () async throws(PlacesError) in
            if let cached = await cache?.placemarks(for: key) { return cached }
            let placemarks = try await service.answer(question, for: uid)
            await cache?.store(placemarks, for: key)
            return placemarks
        }
        if placemarks.isEmpty { throw .noResult }
        return placemarks
    }
}
