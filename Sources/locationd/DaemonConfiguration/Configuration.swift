@_spi(Programs) package import LocationModel
package import Logging
package import ServiceKit

/// The daemon's configuration, from its files, its environment and its command line.
///
/// In a value that ``load(path:environment:)`` returns all values are in the ranges of ``tables``;
/// `Configuration()` has the defaults.
package struct Configuration: Sendable, Equatable {
    package var service = Service()
    /// How long a location is fresh, how long sources linger, and the common limits of clients.
    package var hub = HubSettings()
    package var access = Access()
    package var privacy = Privacy()
    package var nmea = NMEA()
    package var metrics = MetricsSettings()
    /// The sources by rank, the preferred one first; never empty, and no two have the same name.
    package var sources = [Source(GPSD())]
    /// While the files are read: what the lists of additional sources have so far.
    var additionalSources: [Source] = []

    /// The built-in defaults.
    package init() {}

    /// The common limits of clients.
    package var limits: ServiceLimits {
        get { hub.limits }
        set { hub.limits = newValue }
    }
}

extension Configuration {
    /// Settings of the daemon as a system service.
    package struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        package var logLevel = Logger.Level.info

        package init() {}
    }

    /// Settings of access.
    package struct Access: Sendable, Equatable {
        /// The name of the group whose members may receive the position and use the control socket.
        package var group = "locationd"

        package init() {}
    }

    /// The socket on which other location services read NMEA 0183.
    package struct NMEA: Sendable, Equatable {
        /// Whether the daemon creates the socket.
        package var enabled = false
        /// The name of the group whose members may read it.
        package var group = "geoclue"

        package init() {}
    }

    /// The grid of reduced accuracy, and the limits of the audit.
    package struct Privacy: Sendable, Equatable {
        /// The size of the grid cells of reduced accuracy, metres.
        package var reducedGrid = 2000.0
        /// Days after which a record of the audit is removed.
        package var historyDays = 30
        /// The maximum size of the audit, bytes; the oldest records are removed first.
        package var historySize = 1_048_576

        package init() {}
    }
}
