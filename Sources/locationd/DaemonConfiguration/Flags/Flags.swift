package import ArgumentParser
package import Logging
import ServiceKit

/// The daemon's command line.
///
/// Make one by `Flags.parse(_:)`, of an empty array for the defaults: the properties of `Flags()` have no values.
package struct Flags: ServiceFlags {
    package static let configuration = CommandConfiguration(
        commandName: "locationd",
        abstract: "Serves the location of this machine to its programs.",
        usage: "locationd [<options>]",
        discussion: """
            Flags win over the environment (LOCATIOND_GPSD, LOCATIOND_LOG_LEVEL), which wins over the files.
            Exit codes: 0 ended as asked, 1 failed, 2 wrong flags or configuration.
            """)

    /// A source that replaces all configured ones.
    package enum Source: Sendable, Equatable {
        case gpsd(HostAndPort)
        case simulator
        /// A recording; a relative path is relative to the working directory.
        case replay(file: String)
    }

    /// The configuration file; `nil` for the default one, which may be missing.
    @Option(
        name: .customLong("config"),
        help: .init("Read this configuration instead of \(Configuration.defaultPath).", valueName: "path"),
        transform: Self.text)
    package var configurationPath: String?

    /// The policy's main file, which must exist; `nil` for the one beside the configuration file, which may be missing.
    @Option(
        name: .customLong("policy"),
        help: .init("Read these rules instead of \(PolicyFile.name) beside the configuration.", valueName: "path"),
        transform: Self.text)
    package var policyPath: String?

    @Flag(name: .customLong("check-config"), help: "Check the configuration and the policy, and exit.")
    package var checksConfiguration = false

    @Option(
        help: .init("The directory of the sockets (default: /run/locationd).", valueName: "dir"), transform: Self.text)
    package var runtimeDirectory = "/run/locationd"

    @Option(
        help: .init("The directory of persistent state (default: /var/lib/locationd).", valueName: "dir"),
        transform: Self.text)
    package var stateDirectory = "/var/lib/locationd"

    @Option(
        help: .init("Use this gpsd as the only source, such as [::1]:2947.", valueName: "host:port"),
        transform: Self.endpoint)
    var gpsd: HostAndPort?

    @Flag(help: "Use a simulator as the only source.")
    var simulate = false

    @Option(help: .init("Use this recording as the only source.", valueName: "file"), transform: Self.text)
    var replay: String?

    /// The least severe level that is logged; `nil` leaves it to the configuration.
    @Option(
        help: .init("Log this level and above: trace, debug, info, …, critical.", valueName: "level"),
        transform: Self.level)
    package var logLevel: Logger.Level?

    @Flag(name: .customLong("version"), help: "Print the version and exit.")
    package var showsVersion = false

    package init() {}

    /// The source that the command line names.
    package var source: Source? {
        if let gpsd { return .gpsd(gpsd) }
        if simulate { return .simulator }
        return replay.map { .replay(file: $0) }
    }

    private static func endpoint(_ text: String) throws -> HostAndPort {
        try value("write HOST:PORT", Result { () throws(Refusal) in try HostAndPort(parsing: text) })
    }

    package func validate() throws {
        let given = [gpsd.map { _ in "--gpsd" }, simulate ? "--simulate" : nil, replay.map { _ in "--replay" }]
            .compactMap(\.self)
        guard given.count < 2 else {
            throw ValidationError("\(given.joined(separator: " and ")) exclude each other; choose one source")
        }
    }
}
