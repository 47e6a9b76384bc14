import Delivery
@_spi(Programs) import LocationModel
import ServiceKit

/// What the program has done since its start, for Prometheus.
struct FleetFigures: Sendable, Equatable {
    /// Whether there is a broker: without one it is not said whether there is a connection.
    var hasBroker = true
    /// Messages that were put into the outbox.
    var inserted = 0
    /// Messages that a broker has acknowledged.
    var acknowledged = 0
    var lastAcknowledgement: UTCTime?
    /// Answers of a broker that it does not accept a message.
    var refused = 0
    /// Connections that a broker has accepted.
    var connections = 0

    /// The metrics; those of the outbox are absent where it cannot be read.
    func families(
        _ outbox: MessageOutbox.Count?, isConnected: Bool,
        destinations: [(name: String, state: HTTPDelivery.State)] = [],
        now: UTCTime
    ) -> [MetricFamily] {
        var thinned = MetricFamily(
            "locationd_fleet_thinned_messages_total", .counter,
            help: "Messages deleted because the outbox had reached its limit, since its file was made.")
        thinned.add(outbox?.thinned)
        return [
            .gauge(
                "locationd_fleet_connected", hasBroker ? isConnected ? 1 : 0 : nil,
                help: "Whether there is a connection to the broker."),
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
        ] + Self.families(destinations)
    }

    private static func families(_ destinations: [(name: String, state: HTTPDelivery.State)]) -> [MetricFamily] {
        let kinds: [(String, MetricFamily.Kind, String, (HTTPDelivery.State) -> Double?)] = [
            ("waiting_reports", .gauge, "Reports that the destination does not have yet.", { Double($0.waiting) }),
            (
                "delivered_reports_total", .counter, "Reports that the destination has accepted.",
                { Double($0.delivered) }
            ),
            (
                "failed_attempts_total", .counter,
                "Attempts to send a report that failed, or that the destination refused.",
                { Double($0.failed) }
            ),
            (
                "dropped_reports_total", .counter,
                "Reports deleted before the destination had them, because the outbox had reached its limit, since its file was "
                    + "made.", { Double($0.dropped) }
            ),
            (
                "stopped", .gauge, "Whether nothing is sent until the configuration or the credential changes.",
                { $0.isStopped ? 1 : 0 }
            ),
            (
                "last_delivery_timestamp_seconds", .gauge,
                "When the destination has accepted a report last, in seconds since 1970. Absent before the first.",
                { $0.lastDelivery.map { Double($0.seconds) } }
            ),
        ]
        return kinds.map { name, kind, help, value in
            var family = MetricFamily("locationd_fleet_destination_\(name)", kind, help: help)
            for destination in destinations {
                if let number = value(destination.state) { family.add(number, ("destination", destination.name)) }
            }
            return family
        }
    }
}
