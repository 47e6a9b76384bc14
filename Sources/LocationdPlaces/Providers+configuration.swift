import Configuration
import Logging
import OnlinePlaces
import Places

extension Providers {
    init(_ configuration: PlacesConfiguration, logger: Logger) throws {
        offline = Database(path: configuration.service.database, logger: logger)
        online = try configuration.online.map { try OnlinePlaces(settings: OnlineSettings($0), logger: logger) }
    }
}
