package import Logging

/// How the daemon behaves: what its configuration files, its environment and its command line say together.
///
/// A value that ``load(path:environment:)`` returns keeps every range that ``Section/all`` states; `Configuration()`
/// is what the daemon does with no file at all.
package struct Configuration: Sendable, Equatable {
    package var service = Service()
    package var delivery = Delivery()
    package var limits = Limits()
    package var access = Access()
    package var privacy = Privacy()
    package var nmea = NMEA()
    package var metrics = Metrics()
    /// Where locations come from, the preferred source first; never empty, and no two have the same name.
    package var sources = [Source(.gpsd(GPSD()))]

    /// The built-in defaults.
    package init() {}
}

extension Configuration {
    /// The daemon as a service of the system.
    package struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        package var logLevel = Logger.Level.info

        package init() {}
    }

    /// When a location is fresh, and how long sources run.
    package struct Delivery: Sendable, Equatable {
        /// Seconds without a new fix after which the location counts as lost; three epochs are waited for in any case.
        package var staleAfter = 3.0
        /// Seconds a source goes on running after the last client that wanted it is gone.
        package var linger = 5.0
        /// Seconds between the fixes that are taken while nobody watches; `nil` takes none.
        package var refreshInterval: Double?
        /// Seconds the running sources may be without a fix before a source lower in the list is started; 0 runs all.
        package var failoverDelay = 5.0
        /// Seconds a preferred source must deliver again before it takes over from the one that stood in for it.
        package var failoverHysteresis = 2.0

        package init() {}
    }

    /// What clients may take up together.
    package struct Limits: Sendable, Equatable {
        /// The most connections at a time.
        package var clients = 4096
        /// The most connections of one user at a time.
        package var clientsPerUser = 128
        /// The most bytes one request may have.
        package var requestSize = 65536
        /// Seconds after which a client that takes nothing of what is sent to it is let go.
        package var stalledTimeout = 30.0
        /// Calls a second of one user in the long run; the burst is twice that many.
        package var requestsPerSecond = 100.0
        /// The most requests of one user that wait for a decision at a time.
        package var authorizationsPerUser = 16
        /// The most regions of one user; a polygon counts once for each 32 corners begun.
        package var regionsPerUser = 1000
        /// The most kept monitors of one user.
        package var monitorsPerUser = 32
        /// The most regions of all users together, each kept monitor counting as one more.
        package var regions = 10_000

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
        /// Seconds between two locations of reduced accuracy, at least.
        package var reducedInterval = 600.0
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
