@_spi(Programs) import LocationInterface
import Logging
import Places

extension Providers {
    /// - Throws: why the configured network service cannot be used, in words.
    init(_ configuration: PlacesConfiguration, logger: Logger) throws {
        offline = Database(path: configuration.service.database, logger: logger)
        scheduler = DatabaseScheduler()
        do {
            online = try configuration.online.map {
                try OnlinePlaces(settings: OnlineSettings($0), version: Release.version, logger: logger)
            }
        } catch PlacesError.network(let reason) {
            throw Unusable(description: reason)
        }
    }
}

private struct Unusable: Error, CustomStringConvertible {
    let description: String
}
