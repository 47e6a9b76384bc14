import ServiceKit
import WebService

// All keys. The default of a key is that of its property; everything else is stated here only.

extension WebConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged."),
        .init(
            "daemon", \.daemon, .path, defaults: Self(),
            "The daemon's socket."),
        .init(
            "history", \.history, .path, defaults: Self(),
            "The track history's socket."),
        .init(
            "places", \.places, .path, defaults: Self(),
            "The places service's socket."),
        .init(
            "fleet", \.fleet, .path, defaults: Self(),
            "The socket at which the devices of a fleet are listed."),
        .init(
            "nearby", \.nearby, .path, defaults: Self(),
            "The socket at which places are learned by their access points."),
        .init(
            "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"), defaults: Self(),
            "The time without a connection after which a service that is started on demand exits."),
    ]
}

extension WebConfiguration.Site {
    static let settings: [Setting<Self>] = [
        .init(
            "listen", \.listen, .loopbackAddresses, defaults: Self(),
            "The addresses to listen at, beside the sockets that systemd passes."),
        .init(
            "host", \.host, Rule.hostName.orAbsent(""), defaults: Self(),
            "A further host by which the pages may be opened, as of a proxy."),
    ]
}

extension WebConfiguration.Map {
    static let settings: [Setting<Self>] = [
        .init(
            "folder", \.folder, .path, defaults: Self(),
            "The folder of map images in the form of MBTiles."),
        .init(
            "borders", \.borders, .path, defaults: Self(),
            "The folder of the coasts, borders and names that the map has without images."),
        .init(
            "tiles", \.tiles, Rule.tiles.orAbsent(""), defaults: Self(),
            "Where browsers load map images from, with {z}, {x} and {y}."),
        .init(
            "attribution", \.attribution, Rule.attribution.orAbsent(""), defaults: Self(),
            "Whose map it is, which is shown on it."),
    ]
}

extension WebConfiguration {
    /// All keys of the file, in the order of their documentation.
    static let keys: [KeyDocumentation] =
        KeyDocumentation.list(Service.settings, "service") + KeyDocumentation.list(Site.settings, "site")
        + KeyDocumentation.list(Map.settings, "map")
}

extension Rule<String> {
    fileprivate static let hostName = text("a host, with :PORT if it is not the usual one, in quotes") {
        text throws(Refusal) in
        guard text.wholeMatch(of: /[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?/) != nil else {
            throw Refusal("\(text.quoted) is no host")
        }
    }

    fileprivate static let tiles = text("a URL with {z}, {x} and {y} in quotes, as https://HOST/{z}/{x}/{y}.png") {
        text throws(Refusal) in
        guard URLOrigin.of(text) != nil, ["{z}", "{x}", "{y}"].allSatisfy(text.contains) else {
            throw Refusal("\(text.quoted) is no such URL")
        }
    }

    fileprivate static let attribution = text("a text in quotes") { text throws(Refusal) in
        guard text.utf8.count <= 256, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}
