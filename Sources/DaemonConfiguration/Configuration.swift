package import LocationModel
package import Logging

/// How the daemon behaves: what its configuration files, its environment and its command line say together.
///
/// A value that ``load(path:environment:)`` returns keeps every range that ``Section/all`` states; `Configuration()`
/// is what the daemon does with no file at all.
package struct Configuration: Sendable, Equatable {
    package var service = Service()
    /// When a location is fresh, how long sources run, and what clients may use together.
    package var hub = HubSettings()
    package var access = Access()
    package var privacy = Privacy()
    package var nmea = NMEA()
    package var metrics = Metrics()
    /// Where locations come from, the preferred source first; never empty, and no two have the same name.
    package var sources = [Source(GPSD())]

    /// The built-in defaults.
    package init() {}

    /// What clients may use together.
    package var limits: ServiceLimits {
        get { hub.limits }
        set { hub.limits = newValue }
    }
}

extension Configuration {
    /// The daemon as a service of the system.
    package struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        package var logLevel = Logger.Level.info

        package init() {}
    }

    /// Whom the system's administrator trusts.
    package struct Access: Sendable, Equatable {
        /// The name of the group whose members may know the position and use the control socket.
        package var group = "locationd"

        package init() {}
    }

    /// The socket at which other location services read NMEA 0183.
    package struct NMEA: Sendable, Equatable {
        /// Whether the daemon makes the socket.
        package var enabled = false
        /// The name of the group whose members may read it.
        package var group = "geoclue"

        package init() {}
    }

    /// How coarse reduced accuracy is, and how much history of who asked is kept.
    package struct Privacy: Sendable, Equatable {
        /// Metres; the cells of the grid to which reduced accuracy rounds.
        package var reducedGrid = 2000.0
        /// Days after which an entry of the history is forgotten.
        package var historyDays = 30
        /// Bytes the history may take up; the oldest entries go first.
        package var historySize = 1_048_576

        package init() {}
    }

    /// Where figures for monitoring go.
    package struct Metrics: Sendable, Equatable {
        /// The file for node_exporter's textfile collector; `nil` writes none.
        package var textfile: String?
        /// Seconds from one writing of it to the next.
        package var interval = 15.0

        package init() {}
    }
}
