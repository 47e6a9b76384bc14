package import ArgumentParser
package import Logging

/// The options of every small service.
package struct ServiceOptions<Configuration: FileConfiguration>: ParsableArguments {
    /// The configuration file; `nil` for the default one, which may be missing.
    @Option(
        name: .customLong("config"),
        help: .init("Read this configuration instead of \(Configuration.defaultPath).", valueName: "path"),
        transform: Self.text)
    package var configurationPath: String?

    @Flag(name: .customLong("check-config"), help: "Check the configuration and exit.")
    package var checksConfiguration = false

    /// The least severe level that is logged; `nil` leaves it to the configuration.
    @Option(
        help: .init("Log this level and above: trace, debug, info, …, critical.", valueName: "level"),
        transform: Self.level)
    package var logLevel: Logger.Level?

    @Flag(name: .customLong("version"), help: "Print the version and exit.")
    package var showsVersion = false

    package init() {}

    /// Refuses a daemon's socket that is for others than the program's user.
    ///
    /// - Parameter isNamedByFlag: whether `--daemon` names it.
    package func requireAccess(to daemon: String, isNamedByFlag: Bool) throws {
        try DaemonSocket.requireAccess(
            to: daemon, flag: isNamedByFlag ? "--daemon" : nil, file: configurationPath ?? Configuration.defaultPath)
    }
}

/// The command line of a small service with a configuration file.
package protocol FileServiceFlags: ServiceFlags {
    associatedtype Configuration: FileConfiguration
    var service: ServiceOptions<Configuration> { get }
    /// Whether the program needs a value of the file; otherwise the file need not be readable. By default it does.
    var needsConfiguration: Bool { get }
    /// Replaces the keys for which there is a flag of the program's own. By default there is none.
    func replaceKeys(of configuration: inout Configuration)
}

extension FileServiceFlags {
    package var showsVersion: Bool { service.showsVersion }
    package var needsConfiguration: Bool { true }
    package func replaceKeys(of configuration: inout Configuration) {}
}

extension FileConfiguration {
    /// Applies the command line: a flag replaces its key.
    package mutating func apply<Flags: FileServiceFlags>(_ flags: Flags) where Flags.Configuration == Self {
        if let level = flags.service.logLevel { service.logLevel = level }
        flags.replaceKeys(of: &self)
    }
}
