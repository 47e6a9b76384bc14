import Places
import ServiceKit

extension PlacesConfiguration: FileConfiguration {
    init(_ document: Document) throws(ConfigurationError) {
        try self.init(document) { online throws(Mistake) in _ = try OnlineSettings(online) }
    }
}

extension OnlineSettings {
    /// - Throws: which key is invalid, and the remedy.
    init(_ online: PlacesConfiguration.Online) throws(PlacesConfiguration.Mistake) {
        let provider: Provider =
            switch online.provider {
            case .nominatim: .nominatim
            case .photon: .photon
            }
        do throws(Invalid) {
            try self.init(
                provider: provider, url: online.url, contact: online.contact, rate: online.rate,
                timeout: online.timeout, cachePath: online.cache, cacheExpiry: online.cacheExpiry * 86_400,
                cacheSize: online.cacheSize)
        } catch {
            let key =
                switch error.value {
                case .cachePath: "cache"
                case .cacheExpiry: "cache-expiry"
                case .cacheSize: "cache-size"
                default: error.value.rawValue
                }
            throw PlacesConfiguration.Mistake(key: key, remedy: error.remedy)
        }
    }
}
