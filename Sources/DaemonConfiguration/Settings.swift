import LocationModel
import Logging
import StrictTOML

// All keys of all tables except the sources. The default of a key is that of its property; range, unit and meaning are
// stated here only. A key path leads to the value that the daemon uses.

extension Section {
    /// All tables except the sources.
    static let all = [
        Section("service", service),
        Section("delivery", delivery),
        Section("limits", limits),
        Section("access", access),
        Section("privacy", privacy),
        Section("nmea", nmea),
        Section("metrics", metrics),
    ]

    private static let service: [Setting<Configuration>] = [
        .init(
            "log-level", \.service.logLevel, .choice,
            "The least severe level that is logged.")
    ]

    private static let delivery: [Setting<Configuration>] = [
        .init(
            "stale-after", \.hub.staleAfter, .number(0.5...3600, "seconds"),
            "Without a new fix for so long the location counts as lost; three epochs are waited for in any case."),
        .init(
            "linger", \.hub.linger, .number(0...86400, "seconds"),
            "So long a source goes on running after the last client that wanted it is gone."),
        .init(
            "refresh-interval", \.hub.refreshInterval, Rule.number(10...86400, "seconds").orAbsent("off"),
            "So often a fix is taken while nobody watches, so that the last location stays useful."),
        .init(
            "failover-delay", \.hub.failoverDelay, .number(0...600, "seconds"),
            "So long running sources may be without a fix before the next of the list is started; 0 runs all."),
        .init(
            "failover-hysteresis", \.hub.failoverHysteresis, .number(0...600, "seconds"),
            "So long a preferred source must deliver again before it takes over from a lower one."),
    ]

    private static let limits: [Setting<Configuration>] = [
        .init(
            "clients", \.limits.clients, .integer(1...65536),
            "The most connections at a time."),
        .init(
            "clients-per-user", \.limits.clientsPerUser, .integer(1...65536),
            "The most connections of one user at a time."),
        .init(
            "request-size", \.limits.requestSize, .integer(1024...1_048_576, "bytes"),
            "The longest request."),
        .init(
            "stalled-timeout", \.limits.stalledTimeout, .number(1...3600, "seconds"),
            "A client that takes nothing of what is sent to it for so long is let go."),
        .init(
            "requests-per-second", \.limits.requestsPerSecond, .number(1...10000, "calls a second"),
            "Calls a second of one user; the burst is twice that."),
        .init(
            "authorizations-per-user", \.limits.authorizationsPerUser, .integer(1...1000),
            "Requests of one user that wait for a decision at a time."),
        .init(
            "regions-per-user", \.limits.regionsPerUser, .integer(1...10000),
            "The most regions of one user; a polygon counts once for each 32 corners begun."),
        .init(
            "monitors-per-user", \.limits.monitorsPerUser, .integer(1...1000),
            "The most monitors of one user that are kept under names."),
        .init(
            "regions", \.limits.regions, .integer(1...10000),
            "The most regions of all users together, each kept monitor counting as one more."),
    ]

    private static let access: [Setting<Configuration>] = [
        // Not reloadable, because the sockets' group is set when they are created.
        .init(
            "group", \.access.group, .group, isReloadable: false,
            "The group whose members may know the position and use the control socket.")
    ]

    private static let privacy: [Setting<Configuration>] = [
        // Not reloadable, because two grids together would narrow the position down.
        .init(
            "reduced-grid", \.privacy.reducedGrid, .number(500...50000, "metres"), isReloadable: false,
            "Cells of the grid to which reduced accuracy rounds."),
        .init(
            "reduced-interval", \.hub.reducedInterval, .number(60...86400, "seconds"),
            "So long at least a location of reduced accuracy stands before the next one."),
        .init(
            "history-days", \.privacy.historyDays, .integer(1...3650, "days"),
            "So long the history of who asked for the position is kept."),
        .init(
            "history-size", \.privacy.historySize, .integer(65536...67_108_864, "bytes"),
            "So much the history may take up; the oldest entries go first."),
    ]

    private static let nmea: [Setting<Configuration>] = [
        // Not reloadable, because the socket is created, with its group, at the start.
        .init(
            "enabled", \.nmea.enabled, .boolean, isReloadable: false,
            "Whether the daemon makes a socket at which GeoClue can read where the machine is."),
        .init(
            "group", \.nmea.group, .group, isReloadable: false,
            "The group whose members may read it."),
    ]

    private static let metrics: [Setting<Configuration>] = [
        .init(
            "textfile", \.metrics.textfile, Rule.metricsFile.orAbsent(""),
            "The file in which node_exporter's textfile collector finds the daemon's metrics; none is written without."),
        .init(
            "interval", \.metrics.interval, .number(1...3600, "seconds"),
            "So often that file is written."),
    ]
}

extension Setting where Section == Configuration {
    /// A key whose default is that of its property.
    init<Value: Equatable>(
        _ name: String, _ property: any WritableKeyPath<Configuration, Value> & Sendable, _ rule: Rule<Value>,
        isReloadable: Bool = true, _ meaning: String
    ) {
        self.init(name, property, rule, defaults: Configuration(), isReloadable: isReloadable, meaning)
    }
}
