import ServiceKit
import ServiceServer

// All keys. The default of a key is that of its property; everything else is stated here only.

extension PlacesConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged."),
        .init(
            "database", \.database, .path, defaults: Self(),
            "The database of places."),
        .init(
            "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"), defaults: Self(),
            "The time without a connection after which the service exits; systemd starts it again."),
    ]
}

extension PlacesConfiguration.Limits {
    static let settings: [Setting<Self>] = [
        .init(
            "clients", \.clients, .integer(1...65536), defaults: Self(),
            "The maximum of simultaneous connections."),
        .init(
            "clients-per-user", \.clientsPerUser, .integer(1...65536), defaults: Self(),
            "The maximum of simultaneous connections of one user."),
        .init(
            "requests-per-second", \.requestsPerSecond, .number(1...10000, "calls a second"), defaults: Self(),
            "The maximum rate of calls of one user, with a burst of twice that; each KiB counts as a call."),
        .init(
            "calls", \.calls, .integer(1...65536), defaults: Self(),
            "The maximum of pending calls."),
        .init(
            "calls-per-user", \.callsPerUser, .integer(1...65536), defaults: Self(),
            "The maximum of pending calls of one user."),
        .init(
            "stalled-timeout", \.stalledTimeout, .number(1...3600, "seconds"), defaults: Self(),
            "The time without reading after which a client with pending data is disconnected."),
        .init(
            "idle-timeout", \.idleTimeout, .number(1...86400, "seconds"), defaults: Self(),
            "The time without a call after which a client is disconnected."),
    ]
}

extension PlacesConfiguration.Online {
    // The initial value for reading a table; required keys replace their values in it.
    static let draft = Self(provider: .nominatim, url: "", contact: "")
    static let settings: [Setting<Self>] = [
        .init(
            "provider", \.provider, .choice, defaults: draft, isRequired: true,
            "The provider's interface."),
        .init(
            "url", \.url, .webAddress, defaults: draft, isRequired: true,
            "The address of the provider."),
        .init(
            "contact", \.contact, .contact, defaults: draft, isRequired: true,
            "The administrator's contact for the provider's operator; every request contains it."),
        .init(
            "rate", \.rate, .number(0.001...100, "requests a second"), defaults: draft,
            "The maximum rate of requests, which are sent one at a time."),
        .init(
            "timeout", \.timeout, .number(1...300, "seconds"), defaults: draft,
            "The time after which a request without an answer is cancelled."),
        .init(
            "cache", \.cache, Rule.path.orAbsent(""), defaults: draft,
            "The file in which answers are cached."),
        .init(
            "cache-expiry", \.cacheExpiry, .number(0...3650, "days"), defaults: draft,
            "The time after which a cached answer expires."),
        .init(
            "cache-size", \.cacheSize, .integer(1...10_000_000), defaults: draft,
            "The maximum of cached answers; the least recently used one is deleted first."),
    ]
}

extension Rule<String> {
    /// A URL. The code that connects to it checks it further.
    fileprivate static let webAddress = text("an address in quotes that begins with https:// or http://") {
        text throws(Refusal) in
        let lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"), text == text.onOneLine, !text.contains(" ")
        else {
            throw Refusal("\(text.quoted) is no such address")
        }
    }

    fileprivate static let contact = text("an e-mail address or a web page in quotes") { text throws(Refusal) in
        guard text.utf8.count <= 200, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}

extension PlacesConfiguration {
    /// All keys of the file, in the order of their documentation.
    static let keys: [KeyDocumentation] =
        KeyDocumentation.list(Service.settings, "service") + KeyDocumentation.list(Limits.settings, "limits")
        + KeyDocumentation.list(Online.settings, "online")
}
