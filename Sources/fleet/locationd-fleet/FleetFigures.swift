import Delivery
@_spi(Programs) import LocationModel
import ServiceKit

/// What the program has done since its start, for Prometheus.
struct FleetFigures: Sendable, Equatable {
    /// Messages that were put into the outbox.
    var inserted = 0
    /// Messages that a broker has acknowledged.
    var acknowledged = 0
    /// Answers of a broker that it does not accept a message.
    var refused = 0
    /// Connections that a broker has accepted.
    var connections = 0

    /// The metrics; those of the outbox are absent where it cannot be read.
    func families(_ outbox: MessageOutbox.Count?, isConnected: Bool, now: UTCTime) -> [MetricFamily] {
        var thinned = MetricFamily(
            "locationd_fleet_thinned_messages_total", .counter,
            help: "Messages deleted because the outbox had reached its limit, since its file was made.")
        thinned.add(outbox?.thinned)
        return [
            .gauge(
                "locationd_fleet_connected", isConnected ? 1 : 0, help: "Whether there is a connection to the broker."),
            .counter(
                "locationd_fleet_connections_total", connections, help: "Connections that the broker has accepted."),
            .gauge(
                "locationd_fleet_outbox_messages", outbox.map { Double($0.messages) },
                help: "Messages that the broker has not acknowledged yet."),
            .gauge(
                "locationd_fleet_outbox_bytes", outbox.map { Double($0.bytes) },
                help: "Bytes of the outbox's file that are in use."),
            .gauge(
                "locationd_fleet_oldest_message_age_seconds",
                outbox?.oldestTime.map { max(0, Double(now.seconds - $0)) },
                help:
                    "For how long the oldest message has waited, by the wall clock: where that was set meanwhile, the age is wrong "
                    + "by as much, and never negative. Absent if none waits."),
            .counter(
                "locationd_fleet_inserted_messages_total", inserted, help: "Messages that were put into the outbox."),
            .counter(
                "locationd_fleet_acknowledged_messages_total", acknowledged,
                help: "Messages that the broker has acknowledged."),
            .counter(
                "locationd_fleet_refused_messages_total", refused,
                help: "Times the broker did not accept a message, which waits then for the next connection."),
            thinned,
        ]
    }
}
