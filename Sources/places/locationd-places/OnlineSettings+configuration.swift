import Places
import ServiceKit

extension PlacesConfiguration {
    func check(_ document: Document) throws(ConfigurationError) {
        guard let online else { return }
        do throws(OnlineSettings.Invalid) {
            _ = try OnlineSettings(online)
        } catch {
            let key =
                switch error.value {
                case .cachePath: "cache"
                case .cacheExpiry: "cache-expiry"
                case .cacheSize: "cache-size"
                default: error.value.rawValue
                }
            throw document.error(at: KeyAddress().appending("online").appending(key), "will not do", error.remedy)
        }
    }
}

extension OnlineSettings {
    /// - Throws: which value is invalid, and the remedy.
    init(_ online: PlacesConfiguration.Online) throws(Invalid) {
        let provider: Provider =
            switch online.provider {
            case .nominatim: .nominatim
            case .photon: .photon
            }
        try self.init(
            provider: provider, url: online.url, contact: online.contact, rate: online.rate,
            timeout: online.timeout, cachePath: online.cache, cacheExpiry: online.cacheExpiry * 86_400,
            cacheSize: online.cacheSize)
    }
}
