package import Logging

/// How the places service behaves: what its configuration file says.
///
/// A value that ``load(path:check:)`` returns keeps every range that its settings state; `PlacesConfiguration()` is what
/// the service does without a file.
package struct PlacesConfiguration: Sendable, Equatable {
    /// The file that is read when none is named.
    package static let defaultPath = "/etc/locationd/places.toml"

    package var service = Service()
    package var limits = Limits()
    /// `nil` asks nobody on the network.
    package var online: Online?

    /// The built-in defaults.
    package init() {}

    /// The places service as a service of the system.
    package struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        package var logLevel = Logger.Level.info
        /// The file that places are looked up in.
        package var database = "/usr/share/locationd/places.sqlite"
        /// Seconds without a connection after which a service that systemd started ends; `nil` never.
        package var idleExit: Double? = 60

        package init() {}
    }

    /// What clients may take up together.
    package struct Limits: Sendable, Equatable {
        /// The most connections at a time.
        package var clients = 256
        /// The most connections of one user at a time.
        package var clientsPerUser = 64
        /// Units a second that the calls of one user may cost: one for each KiB begun of a request.
        package var requestsPerSecond = 50.0
        /// The most calls that wait for their answers at a time.
        package var calls = 64
        /// The most calls of one user that wait for their answers at a time.
        package var callsPerUser = 16
        /// Seconds after which a client that takes nothing of what is sent to it is let go.
        package var stalledTimeout = 30.0
        /// Seconds after which a client that asks nothing is let go.
        package var idleTimeout = 300.0

        package init() {}
    }

    /// Whom to ask on the network.
    package struct Online: Sendable, Equatable {
        /// Whose interface the provider speaks.
        package enum Provider: String, Sendable, CaseIterable {
            case nominatim, photon
        }

        package var provider: Provider
        /// Where it is, `http` or `https`.
        package var url: String
        /// How its operator can reach the administrator of this machine.
        package var contact: String
        /// Requests a second at most.
        package var rate = 1.0
        /// Seconds until a request is given up.
        package var timeout = 10.0
        /// The file answers are kept in; `nil` keeps none.
        package var cache: String? = "/var/cache/locationd-places/answers.sqlite"
        /// Days for which an answer is kept.
        package var cacheExpiry = 30.0
        /// How many answers are kept.
        package var cacheSize = 10_000

        package init(provider: Provider, url: String, contact: String) {
            self.provider = provider
            self.url = url
            self.contact = contact
        }
    }
}
