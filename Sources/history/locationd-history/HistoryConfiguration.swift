import ServiceKit
import TrackHistory

/// The track history's configuration, from its file.
struct HistoryConfiguration: FileConfiguration, Equatable {
    static let defaultPath = "/etc/locationd/history.toml"
    static let tables: [ConfigurationTable<Self>] = [
        .init("service", \.service), .init("track", \.track), .init("access", \.access),
        .init("retention", \.retention), .init("metrics", \.metrics),
    ]

    var service = DaemonClientSettings()
    var track = Track()
    var retention = Retention()
    var access = Access()
    var metrics = MetricsSettings()

    /// What is recorded, and where.
    struct Track: SettingsTable, Equatable {
        var file = "/var/lib/locationd-history/track.gpkg"
        var isPassive = false
        var estimates = false
        var recorder = TrackRecorder.Settings()

        static let settings: [Setting<Self>] = [
            .init("file", \.file, .path, "The GeoPackage that the track is written to."),
            .init(
                "passive", \.isPassive, .boolean,
                "Whether only locations that other programs need are recorded, and no receiver is started."),
            .init(
                "estimate", \.estimates, .boolean,
                "Whether estimates are recorded in place of fixes: still at a standstill. Predictions are not."),
            .init(
                "maximum-error", \.recorder.thinning.maximumError, .number(0...1000, "metres"),
                "The distance between a location that is left out and the track at its moment, at most."),
            .init(
                "interval", \.recorder.thinning.interval, .number(1...3600, "seconds"),
                "The time between two kept locations, at most."),
            .init(
                "stay-interval", \.recorder.stayInterval, .number(1...86400, "seconds"),
                "The time between two kept locations while the machine stays at one place."),
            .init(
                "gap", \.recorder.gap, .number(10...86400, "seconds"),
                "The time without a location that is recorded as a gap."),
            .init(
                "trip-gap", \.recorder.tripGap, .number(10...86400, "seconds"),
                "The time without a location that ends a trip."),
            .init(
                "include-simulated", \.recorder.includesSimulated, .boolean,
                "Whether simulated and replayed locations are recorded."),
        ]
    }

    /// What users may do.
    struct Access: SettingsTable, Equatable {
        var usersMayPause = false

        static let settings: [Setting<Self>] = [
            .init(
                "users-may-pause", \.usersMayPause, .boolean,
                "Whether users who may know the position fully may also pause the recording.")
        ]
    }

    /// How long the track is kept.
    struct Retention: SettingsTable, Equatable {
        var maximumAge: Double? = 366
        var maximumSize: Int? = 1024

        static let settings: [Setting<Self>] = [
            .init(
                "maximum-age", \.maximumAge, Rule.number(1...36500, "days").orAbsent("off"),
                "The age at which the track is removed."),
            .init(
                "maximum-size", \.maximumSize, Rule.integer(1...1_048_576, "MiB").orAbsent("off"),
                "The size of the file at which the oldest of the track is removed."),
        ]
    }
}
