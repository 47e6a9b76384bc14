import Logging
import ServiceKit
import TrackHistory

/// The track history's configuration, from its file.
///
/// In a value that ``load(path:)`` returns all values are in the ranges of their settings; `HistoryConfiguration()` has
/// the defaults.
struct HistoryConfiguration: FileConfiguration, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/history.toml"

    var service = Service()
    var track = Track()
    var retention = Retention()
    var access = Access()
    var metrics = MetricsSettings()

    /// The built-in defaults.
    init() {}

    /// Settings of the program as a system service.
    struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        var logLevel = Logger.Level.info
        /// The daemon's socket.
        var daemon = "/run/locationd/locationd.sock"

        init() {}
    }

    /// What is recorded, and where.
    struct Track: Sendable, Equatable {
        /// The GeoPackage.
        var file = "/var/lib/locationd-history/track.gpkg"
        /// Whether only locations that other programs need are recorded, and no receiver is started.
        var isPassive = false
        /// Whether estimates are recorded in place of fixes.
        var estimates = false
        var recorder = TrackRecorder.Settings()

        init() {}
    }

    /// What users may do.
    struct Access: Sendable, Equatable {
        /// Whether a user who may know the position fully may also pause the recording.
        var usersMayPause = false

        init() {}
    }

    /// How long the track is kept.
    struct Retention: Sendable, Equatable {
        /// Days; `nil` for ever.
        var maximumAge: Double? = 366
        /// MiB of the file; `nil` for any.
        var maximumSize: Int? = 1024

        init() {}
    }
}

extension HistoryConfiguration {
    init(_ document: Document) throws(ConfigurationError) {
        self.init()
        try document.checkTables(["service", "track", "retention", "access", "metrics"], keys: Self.keys)
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("track")?.read(Track.settings, into: &track)
        try table("retention")?.read(Retention.settings, into: &retention)
        try table("access")?.read(Access.settings, into: &access)
        try table("metrics")?.read(MetricsSettings.settings, into: &metrics)
    }

    /// Applies the command line: a flag replaces its key.
    mutating func apply(_ flags: HistoryFlags) {
        if let level = flags.service.logLevel { service.logLevel = level }
        if let daemon = flags.daemon { service.daemon = daemon }
        if let file = flags.file { track.file = file }
        if flags.includeSimulated { track.recorder.includesSimulated = true }
    }
}
