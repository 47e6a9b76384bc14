import Glibc
import ServiceKit

/// What the program has done since its start, for Prometheus.
struct HistoryFigures: Sendable, Equatable {
    /// Points that were written.
    var written = 0
    /// Locations that could not be recorded.
    var lost = 0
    /// Changes of the track that wait for the disk.
    var waiting = 0
    /// Points removed because of their age, or the size of the file.
    var pruned = 0
    /// Seconds; `nil` without a location.
    var lastLocationAge: Double?

    /// - Parameter path: the track's file.
    func families(path: String) -> [MetricFamily] {
        var entry = stat()
        let bytes = stat(path, &entry) == 0 ? Double(entry.st_size) : nil
        return [
            .counter("locationd_history_written_points_total", written, help: "Points that were written."),
            .counter(
                "locationd_history_lost_locations_total", lost,
                help: "Locations that could not be recorded, because too many changes wait for the disk."),
            .counter(
                "locationd_history_pruned_points_total", pruned,
                help: "Points removed because of their age or the size of the file."),
            .gauge(
                "locationd_history_waiting_changes", Double(waiting),
                help: "Changes of the track that wait for the disk."),
            .gauge(
                "locationd_history_last_location_age_seconds", lastLocationAge,
                help: "Age of the last location that came, however old; absent before one."),
            .gauge("locationd_history_file_bytes", bytes, help: "Size of the track's file."),
        ]
    }
}
