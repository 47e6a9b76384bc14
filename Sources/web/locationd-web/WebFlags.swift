import ArgumentParser
import ServiceKit

/// The command line.
struct WebFlags: FileServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-web",
        abstract: "Serves pages for people: the map, the sky, who asks, and the track.",
        usage: "locationd-web [<options>]",
        discussion: """
            Without a flag that says where to listen, it listens where systemd or the configuration says. `locctl web` gives a link \
            that opens the pages once.

            Exit codes: 0 ended as asked or idle, 1 failed, 2 wrong flags or configuration.
            """)

    /// The daemon's socket; `nil` leaves it to the configuration.
    @Option(help: .init("The daemon's socket.", valueName: "path"), transform: Self.text)
    var daemon: String?

    /// Where to listen, in place of what the configuration says.
    @Option(
        help: .init(
            "Listen at this address of the loopback interface, and print a link; may be repeated.",
            valueName: "host:port"),
        transform: Self.address)
    var listen: [LoopbackAddress] = []

    /// The folder of the pages; `nil` for that beside the program, or the package's.
    @Option(help: .init("The folder of the pages.", valueName: "path"), transform: Self.text)
    var pages: String?

    @OptionGroup var service: ServiceOptions<WebConfiguration>

    func replaceKeys(of configuration: inout WebConfiguration) {
        if let daemon { configuration.service.daemon = daemon }
        if !listen.isEmpty { configuration.site.listen = listen }
    }
}
