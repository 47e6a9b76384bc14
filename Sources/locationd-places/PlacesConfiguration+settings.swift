import StrictTOML

// All keys. The default of a key is that of its property; everything else is stated here only.

extension PlacesConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged."),
        .init(
            "database", \.database, .path, defaults: Self(),
            "The file that places are looked up in."),
        .init(
            "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"), defaults: Self(),
            "Without a connection for so long the service ends; systemd starts it again for the next one."),
    ]
}

extension PlacesConfiguration.Limits {
    static let settings: [Setting<Self>] = [
        .init(
            "clients", \.clients, .integer(1...65536), defaults: Self(),
            "The most connections at a time."),
        .init(
            "clients-per-user", \.clientsPerUser, .integer(1...65536), defaults: Self(),
            "The most connections of one user at a time."),
        .init(
            "requests-per-second", \.requestsPerSecond, .number(1...10000, "calls a second"), defaults: Self(),
            "The most calls of one user, who may make twice as many at once; a long one counts as one for each KiB."),
        .init(
            "calls", \.calls, .integer(1...65536), defaults: Self(),
            "The most calls that wait for their answers at a time."),
        .init(
            "calls-per-user", \.callsPerUser, .integer(1...65536), defaults: Self(),
            "The most calls of one user that wait for their answers at a time."),
        .init(
            "stalled-timeout", \.stalledTimeout, .number(1...3600, "seconds"), defaults: Self(),
            "A client that takes nothing of what is sent to it for so long is let go."),
        .init(
            "idle-timeout", \.idleTimeout, .number(1...86400, "seconds"), defaults: Self(),
            "A client that asks nothing for so long is let go."),
    ]
}

extension PlacesConfiguration.Online {
    // The initial value for reading a table; required keys replace their values in it.
    static let draft = Self(provider: .nominatim, url: "", contact: "")
    static let settings: [Setting<Self>] = [
        .init(
            "provider", \.provider, .choice, defaults: draft, isRequired: true,
            "Whose interface the provider speaks."),
        .init(
            "url", \.url, .webAddress, defaults: draft, isRequired: true,
            "Where the provider is."),
        .init(
            "contact", \.contact, .contact, defaults: draft, isRequired: true,
            "How the provider's operator can reach whoever runs this machine; every request names it."),
        .init(
            "rate", \.rate, .number(0.001...100, "requests a second"), defaults: draft,
            "So many requests are sent at most, one at a time."),
        .init(
            "timeout", \.timeout, .number(1...300, "seconds"), defaults: draft,
            "A request without an answer for so long is given up."),
        .init(
            "cache", \.cache, Rule.path.orAbsent(""), defaults: draft,
            "The file answers are kept in."),
        .init(
            "cache-expiry", \.cacheExpiry, .number(0...3650, "days"), defaults: draft,
            "So long an answer is kept."),
        .init(
            "cache-size", \.cacheSize, .integer(1...10_000_000), defaults: draft,
            "So many answers are kept; the one that was used longest ago goes first."),
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
        documentation(Service.settings, "service") + documentation(Limits.settings, "limits")
        + documentation(Online.settings, "online")

    private static func documentation(_ settings: [Setting<some Any>], _ table: String) -> [KeyDocumentation] {
        settings.map { KeyDocumentation($0, table: table) }
    }
}
