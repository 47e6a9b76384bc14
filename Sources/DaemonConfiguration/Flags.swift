package import Logging
import StrictTOML

/// The daemon's command line.
package struct Flags: Sendable, Equatable {
    /// The source that takes the place of all configured ones.
    package enum Source: Sendable, Equatable {
        case gpsd(HostAndPort)
        case simulator
        /// A recording, relative to the working directory if the path is.
        case replay(file: String)
    }

    /// The configuration file; `nil` for the default one, which may be missing.
    package var configurationPath: String?
    /// The policy's main file, which must exist; `nil` for the one beside the configuration, which may be missing.
    package var policyPath: String?
    /// Whether to check the configuration and the policy and leave.
    package var checksConfiguration = false
    /// Where the sockets are.
    package var runtimeDirectory = "/run/locationd"
    /// Where what outlives the daemon is kept.
    package var stateDirectory = "/var/lib/locationd"
    package var source: Source?
    /// The least severe level that is logged; `nil` leaves it to the configuration.
    package var logLevel: Logger.Level?
    package var showsVersion = false
    package var showsHelp = false

    /// An empty command line.
    package init() {}
}

/// Why a command line cannot be used: one line that says what to do.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let reason: String

    init(_ problem: String, _ remedy: String) {
        reason = "\(problem); \(remedy)".onOneLine
    }

    package var description: String { "locationd: \(reason)" }
}
