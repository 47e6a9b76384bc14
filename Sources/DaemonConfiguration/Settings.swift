import Logging
import StrictTOML

// Every key there is. Its default is the one its property has; all else is said here and nowhere else.

extension Configuration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged.")
    ]
}

extension Configuration.Delivery {
    static let settings: [Setting<Self>] = [
        .init(
            "stale-after", \.staleAfter, .number(0.5...3600, "seconds"), defaults: Self(),
            "Without a new fix for so long the location counts as lost; three epochs are waited for in any case."),
        .init(
            "linger", \.linger, .number(0...86400, "seconds"), defaults: Self(),
            "So long a source goes on running after the last client that wanted it is gone."),
        .init(
            "refresh-interval", \.refreshInterval, Rule.number(10...86400, "seconds").orAbsent("off"), defaults: Self(),
            "So often a fix is taken while nobody watches, so that the last location stays useful."),
        .init(
            "failover-delay", \.failoverDelay, .number(0...600, "seconds"), defaults: Self(),
            "So long running sources may be without a fix before the next of the list is started; 0 runs all."),
        .init(
            "failover-hysteresis", \.failoverHysteresis, .number(0...600, "seconds"), defaults: Self(),
            "So long a preferred source must deliver again before it takes over from a lower one."),
    ]
}

extension Configuration.Limits {
    static let settings: [Setting<Self>] = [
        .init(
            "clients", \.clients, .integer(1...65536), defaults: Self(),
            "The most connections at a time."),
        .init(
            "clients-per-user", \.clientsPerUser, .integer(1...65536), defaults: Self(),
            "The most connections of one user at a time."),
        .init(
            "request-size", \.requestSize, .integer(1024...1_048_576, "bytes"), defaults: Self(),
            "The longest request."),
        .init(
            "stalled-timeout", \.stalledTimeout, .number(1...3600, "seconds"), defaults: Self(),
            "A client that takes nothing of what is sent to it for so long is let go."),
        .init(
            "requests-per-second", \.requestsPerSecond, .number(1...10000, "calls a second"), defaults: Self(),
            "Calls a second of one user; the burst is twice that."),
        .init(
            "authorizations-per-user", \.authorizationsPerUser, .integer(1...1000), defaults: Self(),
            "Requests of one user that wait for a decision at a time."),
        .init(
            "regions-per-user", \.regionsPerUser, .integer(1...10000), defaults: Self(),
            "The most regions of one user; a polygon counts once for each 32 corners begun."),
        .init(
            "monitors-per-user", \.monitorsPerUser, .integer(1...1000), defaults: Self(),
            "The most monitors of one user that are kept under names."),
        .init(
            "regions", \.regions, .integer(1...10000), defaults: Self(),
            "The most regions of all users together, each kept monitor counting as one more."),
    ]
}

extension Configuration.Access {
    static let settings: [Setting<Self>] = [
        // The sockets' group is set when they are made.
        .init(
            "group", \.group, .group, defaults: Self(), isReloadable: false,
            "The group whose members may know the position and use the control socket.")
    ]
}

extension Configuration.Privacy {
    static let settings: [Setting<Self>] = [
        // Two grids side by side would narrow the position down.
        .init(
            "reduced-grid", \.reducedGrid, .number(500...50000, "metres"), defaults: Self(), isReloadable: false,
            "Cells of the grid to which reduced accuracy rounds."),
        .init(
            "reduced-interval", \.reducedInterval, .number(60...86400, "seconds"), defaults: Self(),
            "So long at least a location of reduced accuracy stands before the next one."),
        .init(
            "history-days", \.historyDays, .integer(1...3650, "days"), defaults: Self(),
            "So long the history of who asked for the position is kept."),
        .init(
            "history-size", \.historySize, .integer(65536...67_108_864, "bytes"), defaults: Self(),
            "So much the history may take up; the oldest entries go first."),
    ]
}

extension Configuration.NMEA {
    static let settings: [Setting<Self>] = [
        // The socket is made at the start, and its group set then.
        .init(
            "enabled", \.enabled, .boolean, defaults: Self(), isReloadable: false,
            "Whether the daemon makes a socket at which GeoClue can read where the machine is."),
        .init(
            "group", \.group, .group, defaults: Self(), isReloadable: false,
            "The group whose members may read it."),
    ]
}

extension Configuration.Metrics {
    static let settings: [Setting<Self>] = [
        .init(
            "textfile", \.textfile, Rule.metricsFile.orAbsent(""), defaults: Self(),
            "The file in which node_exporter's textfile collector finds the daemon's metrics; none is written without."),
        .init(
            "interval", \.interval, .number(1...3600, "seconds"), defaults: Self(),
            "So often that file is written."),
    ]
}

extension SourceHead {
    static let settings: [Setting<Self>] = [
        .init(
            "kind", \.kind, .choice, defaults: Self(), isRequired: true,
            "What the source is."),
        .init(
            "name", \.name, Rule.sourceName.orAbsent(), defaults: Self(),
            "What its locations are marked with, different for every source; the kind where left out."),
    ]
}

extension Configuration.GPSD {
    static let settings: [Setting<Self>] = [
        .init(
            "host", \.host, .host, defaults: Self(),
            "Where gpsd runs."),
        .init(
            "port", \.port, .integer(1...65535), defaults: Self(),
            "The TCP port gpsd listens on."),
        .init(
            "device", \.device, Rule.device.orAbsent(""), defaults: Self(),
            "The one receiver to listen to; without it all that gpsd has."),
        .init(
            "silence-timeout", \.silenceTimeout, .number(5...600, "seconds"), defaults: Self(),
            "Without a word from gpsd for so long the connection is given up and opened anew."),
    ]
}

extension Configuration.Simulator {
    static let settings: [Setting<Self>] = [
        .init(
            "rate", \.rate, .number(1...20, "Hz"), defaults: Self(),
            "Fixes per second."),
        .init(
            "latitude", \.latitude, .number(-90...90, "degrees north"), defaults: Self(),
            "Where the journey begins."),
        .init(
            "longitude", \.longitude, .number(-180...180, "degrees east"), defaults: Self(),
            "Where the journey begins."),
        .init(
            "speed", \.speed, .number(0...100, "metres per second"), defaults: Self(),
            "How fast the journey goes."),
        .init(
            "seed", \.seed, .integer(0...Int.max), defaults: Self(),
            "What chance starts from: the same seed makes the same journey."),
    ]
}

extension Configuration.Replay {
    // The required keys of a draft are read before anybody sees it.
    static let draft = Self(file: "")
    static let settings: [Setting<Self>] = [
        .init(
            "file", \.file, .path, defaults: draft, isRequired: true,
            "The recording."),
        .init(
            "speed", \.speed, .number(0.01...1000, "times as fast"), defaults: draft,
            "How many seconds of the recording pass in one second."),
        .init(
            "loop", \.loop, .boolean, defaults: draft,
            "Whether the recording begins again at its end."),
    ]
}

extension Configuration.PositionFile {
    static let settings: [Setting<Self>] = [
        .init(
            "file", \.file, .path, defaults: Self(),
            "Latitude, longitude, altitude and accuracy, one a line; a change takes effect at once.")
    ]
}

extension Configuration.FixedPosition {
    // The required keys of a draft are read before anybody sees it.
    static let draft = Self(latitude: 0, longitude: 0)
    static let settings: [Setting<Self>] = [
        .init(
            "latitude", \.latitude, .number(-90...90, "degrees north"), defaults: draft, isRequired: true,
            "Where the machine is."),
        .init(
            "longitude", \.longitude, .number(-180...180, "degrees east"), defaults: draft, isRequired: true,
            "Where the machine is."),
        .init(
            "altitude", \.altitude, Rule.number(-12000...100_000, "metres").orAbsent(), defaults: draft,
            "How high it is above mean sea level."),
        .init(
            "ellipsoidal-altitude", \.ellipsoidalAltitude, Rule.number(-12000...100_000, "metres").orAbsent(),
            defaults: draft,
            "How high it is above the WGS 84 ellipsoid."),
        .init(
            "horizontal-accuracy", \.horizontalAccuracy, Rule.number(0...100_000, "metres").orAbsent(), defaults: draft,
            "How far off the position may be."),
    ]
}
