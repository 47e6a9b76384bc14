import ServiceKit
import TrackHistory

// All keys. The default of a key is that of its property; everything else is stated here only.

extension HistoryConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged."),
        .init(
            "daemon", \.daemon, .path, defaults: Self(),
            "The daemon's socket."),
    ]
}

extension HistoryConfiguration.Track {
    static let settings: [Setting<Self>] = [
        .init(
            "file", \.file, .path, defaults: Self(),
            "The GeoPackage that the track is written to."),
        .init(
            "passive", \.isPassive, .boolean, defaults: Self(),
            "Whether only locations that other programs need are recorded, and no receiver is started."),
        .init(
            "estimate", \.estimates, .boolean, defaults: Self(),
            "Whether estimates are recorded in place of fixes: still at a standstill. Predictions are not."),
        .init(
            "maximum-error", \.recorder.thinning.maximumError, .number(0...1000, "metres"), defaults: Self(),
            "The distance between a location that is left out and the track at its moment, at most."),
        .init(
            "interval", \.recorder.thinning.interval, .number(1...3600, "seconds"), defaults: Self(),
            "The time between two kept locations, at most."),
        .init(
            "stay-interval", \.recorder.stayInterval, .number(1...86400, "seconds"), defaults: Self(),
            "The time between two kept locations while the machine stays at one place."),
        .init(
            "gap", \.recorder.gap, .number(10...86400, "seconds"), defaults: Self(),
            "The time without a location that is recorded as a gap."),
        .init(
            "trip-gap", \.recorder.tripGap, .number(10...86400, "seconds"), defaults: Self(),
            "The time without a location that ends a trip."),
        .init(
            "include-simulated", \.recorder.includesSimulated, .boolean, defaults: Self(),
            "Whether simulated and replayed locations are recorded."),
    ]
}

extension HistoryConfiguration.Retention {
    static let settings: [Setting<Self>] = [
        .init(
            "maximum-age", \.maximumAge, Rule.number(1...36500, "days").orAbsent("off"), defaults: Self(),
            "The age at which the track is removed."),
        .init(
            "maximum-size", \.maximumSize, Rule.integer(1...1_048_576, "MiB").orAbsent("off"), defaults: Self(),
            "The size of the file at which the oldest of the track is removed."),
    ]
}

extension HistoryConfiguration.Access {
    static let settings: [Setting<Self>] = [
        .init(
            "users-may-pause", \.usersMayPause, .boolean, defaults: Self(),
            "Whether users who may know the position fully may also pause the recording.")
    ]
}

extension HistoryConfiguration {
    /// All keys of the file, in the order of their documentation.
    static let keys: [KeyDocumentation] =
        KeyDocumentation.list(Service.settings, "service") + KeyDocumentation.list(Track.settings, "track")
        + KeyDocumentation.list(Access.settings, "access") + KeyDocumentation.list(Retention.settings, "retention")
        + KeyDocumentation.list(MetricsSettings.settings, "metrics")
}
