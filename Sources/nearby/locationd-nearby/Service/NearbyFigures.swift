import ServiceKit

/// What the program has done since its start, and what it receives, for Prometheus.
struct NearbyFigures: Sendable, Equatable {
    /// Observations that came.
    var observations = 0
    /// Observations that were learned.
    var learned = 0
    /// Access points that were received somewhere else than before.
    var moved = 0
    /// Access points that are received now and may be remembered, and those of them that are.
    var received = 0
    var known = 0
    /// Metres, of the position told now; `nil` without one.
    var accuracy: Double?

    /// - Parameter remembered: how many access points are remembered; `nil` if the file cannot be read.
    func families(remembered: Int?) -> [MetricFamily] {
        [
            .counter(
                "locationd_nearby_observations_total", observations,
                help: "Observations of access points, of the radios or the file named by --observations."),
            .counter(
                "locationd_nearby_learned_observations_total", learned, help: "Observations that were remembered."),
            .counter(
                "locationd_nearby_moved_access_points_total", moved,
                help: "Access points that were received somewhere else than before, and are remembered there alone."),
            .gauge(
                "locationd_nearby_remembered_access_points", remembered.map(Double.init),
                help: "Access points in the file of places; absent if it cannot be read."),
            .gauge(
                "locationd_nearby_received_access_points", Double(received),
                help: "Access points that are received and may be remembered."),
            .gauge(
                "locationd_nearby_known_access_points", Double(known), help: "Those of them that are remembered."),
            .gauge(
                "locationd_nearby_horizontal_accuracy_meters", accuracy,
                help: "Accuracy of the position that they tell; absent if they tell none."),
        ]
    }
}
