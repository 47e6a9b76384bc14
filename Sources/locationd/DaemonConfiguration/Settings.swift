@_spi(Programs) import LocationModel
import Logging
package import ServiceKit

// All keys of all tables except the sources. The default of a key is that of its property; range, unit and meaning are
// stated here only. A key path leads to the value that the daemon uses.

extension Configuration {
    /// All keys of the files, in the order of their documentation.
    package static let keys: [KeyDocumentation] =
        tables.flatMap(\.keys) + KeyDocumentation.list(SourceHead.settings, "sources", isInList: true)
        + SourceKindName.allCases.flatMap { $0.keys }

    /// All tables except the sources.
    static let tables: [ConfigurationTable<Configuration>] = [
        .init("service", serviceKeys),
        .init("delivery", deliveryKeys),
        .init("plausibility", plausibilityKeys),
        .init("power", powerKeys),
        .init("limits", limitsKeys),
        .init("access", accessKeys),
        .init("privacy", privacyKeys),
        .init("nmea", nmeaKeys),
        .init("metrics", \.metrics),
    ]

    private static let serviceKeys: [Setting<Configuration>] = [
        .init("log-level", \.service.logLevel, .choice, "The least severe level that is logged.")
    ]

    private static let deliveryKeys: [Setting<Configuration>] = [
        .init(
            "stale-after", \.hub.staleAfter, .number(0.5...3600, "seconds"),
            "The time without a new fix after which the location counts as lost; at least three epochs."),
        .init(
            "linger", \.hub.linger, .number(0...86400, "seconds"),
            "How long a source keeps running after the demand for it has ended."),
        .init(
            "refresh-interval", \.hub.refreshInterval, Rule.number(10...86400, "seconds").orAbsent("off"),
            "The interval at which a fix is requested while no client watches."),
        .init(
            "failover-delay", \.hub.failoverDelay, .number(0...600, "seconds"),
            "The time without a fix after which the next source of the list is started; 0 runs all."),
        .init(
            "failover-hysteresis", \.hub.failoverHysteresis, .number(0...600, "seconds"),
            "How long a higher source must deliver fixes again before it replaces a lower one."),
    ]

    private static let plausibilityKeys: [Setting<Configuration>] = [
        .init(
            "null-island-radius", \.hub.plausibility.nullIslandRadius,
            Rule.number(1...50_000, "metres").orAbsent("off"),
            "How near to latitude 0, longitude 0 a fix that does not move is held back."),
        .init(
            "maximum-speed", \.hub.plausibility.maximumSpeed,
            Rule.number(10...20_000, "metres a second").orAbsent("off"),
            "The speed between two fixes above which the second is held back."),
        .init(
            "time-tolerance", \.hub.plausibility.timeTolerance, Rule.number(1...86400, "seconds").orAbsent("off"),
            "How far a receiver's time may go back before its fix is held back."),
        .init(
            "date-tolerance", \.hub.plausibility.dateTolerance, Rule.number(60...31_536_000, "seconds").orAbsent("off"),
            "How far a receiver's date may be from the synchronized clock before its timestamps are marked."),
        .init(
            "confirmations", \.hub.plausibility.confirmations, .integer(2...1000),
            "After how many fixes that agree with each other a new position or time is believed."),
    ]

    private static let powerKeys: [Setting<Configuration>] = [
        .init(
            "minimum-battery", \.hub.minimumBattery, Rule.integer(1...100, "percent").orAbsent("off"),
            "The charge below which sources stop while the battery discharges."),
        .init(
            "pause-interval", \.hub.pauseInterval, .number(60...3600, "seconds"),
            "How often receivers start for a watch that is paused, to see whether the machine moves."),
    ]

    private static let limitsKeys: [Setting<Configuration>] = [
        .init("clients", \.limits.clients, .integer(1...65536), "The maximum of simultaneous connections."),
        .init(
            "clients-per-user", \.limits.clientsPerUser, .integer(1...65536),
            "The maximum of simultaneous connections of one user."),
        .init(
            "request-size", \.limits.requestSize, .integer(1024...1_048_576, "bytes"),
            "The maximum size of a request."),
        .init(
            "stalled-timeout", \.limits.stalledTimeout, .number(1...3600, "seconds"),
            "The time without reading after which a client with pending data is disconnected."),
        .init(
            "requests-per-second", \.limits.requestsPerSecond, .number(1...10000, "calls a second"),
            "Calls a second of one user; the burst is twice that."),
        .init(
            "authorizations-per-user", \.limits.authorizationsPerUser, .integer(1...1000),
            "The maximum of pending authorization requests of one user."),
        .init(
            "regions-per-user", \.limits.regionsPerUser, .integer(1...10000),
            "The maximum of regions of one user; a polygon counts once for each 32 corners or part of them."),
        .init(
            "monitors-per-user", \.limits.monitorsPerUser, .integer(1...1000),
            "The maximum of named monitors of one user."),
        .init(
            "regions", \.limits.regions, .integer(1...10000),
            "The maximum of regions of all users together; each named monitor counts as one more."),
    ]

    private static let accessKeys: [Setting<Configuration>] = [
        // Not reloadable, because the sockets' group is set when they are created.
        .init(
            "group", \.access.group, .group, isReloadable: false,
            "The group whose members may know the position and use the control socket.")
    ]

    private static let privacyKeys: [Setting<Configuration>] = [
        // Not reloadable, because two grids together would narrow the position down.
        .init(
            "reduced-grid", \.privacy.reducedGrid, .number(500...50000, "metres"), isReloadable: false,
            "The size of the cells to which reduced accuracy rounds."),
        .init(
            "reduced-interval", \.hub.reducedInterval, .number(60...86400, "seconds"),
            "The minimum interval between two locations of reduced accuracy."),
        .init(
            "history-days", \.privacy.historyDays, .integer(1...3650, "days"),
            "How long the records of the audit are stored."),
        .init(
            "history-size", \.privacy.historySize, .integer(65536...67_108_864, "bytes"),
            "The maximum size of the audit; the oldest records are deleted first."),
    ]

    private static let nmeaKeys: [Setting<Configuration>] = [
        // Not reloadable, because the socket is created, with its group, at the start.
        .init(
            "enabled", \.nmea.enabled, .boolean, isReloadable: false,
            "Whether the daemon creates a socket from which GeoClue reads the position."),
        .init("group", \.nmea.group, .group, isReloadable: false, "The group whose members may read it."),
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
