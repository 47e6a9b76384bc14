@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ServiceKit

extension ServiceFigures {
    /// The counters under names by Prometheus' conventions; an unknown value has no sample.
    var families: [MetricFamily] {
        [build] + fixFamilies + sourceFamilies + clientFamilies
    }

    private var build: MetricFamily {
        var build = MetricFamily("locationd_build_info", .gauge, help: "Always 1; the label tells the version.")
        build.add(1, ("version", statistics.version))
        return build
    }

    private var fixFamilies: [MetricFamily] {
        var fixes = MetricFamily(
            "locationd_fixes_total", .counter, help: "Fixes from a source, by what became of them.")
        for (source, counts) in fixesBySource.sorted(by: { $0.key < $1.key }) {
            fixes.add(counts.accepted, ("source", source), ("outcome", "accepted"))
            fixes.add(counts.repeated, ("source", source), ("outcome", "repeated"))
            fixes.add(counts.implausible, ("source", source), ("outcome", "implausible"))
        }
        return [
            fixes,
            .counter(
                "locationd_fixes_overflowed_total", overflowedFixes,
                help: "Fixes thrown away unread, because the event loop did not keep up."),
            .gauge("locationd_fix_age_seconds", fixAge, help: "Age of the last fix, however old; absent before one."),
        ]
    }

    private var sourceFamilies: [MetricFamily] {
        var running = MetricFamily("locationd_source_running", .gauge, help: "Whether the source runs.")
        var reconnects = MetricFamily(
            "locationd_reconnects_total", .counter,
            help: "Times a source was connected to anew, after failure or silence.")
        var errors = MetricFamily(
            "locationd_decode_errors_total", .counter, help: "Invalid data from a source, by kind.")
        for source in statistics.sources {
            running.add(source.running ? 1 : 0, ("source", source.name))
            let tries = Self.reconnectKinds.map { source.counters[$0] ?? 0 }.reduce(0, +)
            reconnects.add(tries, ("source", source.name))
            for (kind, count) in source.counters.sorted(by: { $0.key < $1.key })
            where !Self.reconnectKinds.contains(kind) {
                errors.add(count, ("source", source.name), ("kind", kind))
            }
        }
        var receivers = MetricFamily("locationd_receiver_has_fix", .gauge, help: "Whether a receiver has a fix.")
        for receiver in statistics.receivers {
            receivers.add(receiver.hasFix ? 1 : 0, ("source", receiver.source), ("device", receiver.device ?? ""))
        }
        return [
            .gauge("locationd_enabled", isEnabled ? 1 : 0, help: "Whether the master switch is on."),
            .gauge("locationd_demanded", statistics.demand ? 1 : 0, help: "Whether somebody needs the sources."),
            running, receivers, reconnects, errors,
            .counter(
                "locationd_receiver_seconds_total", statistics.receiverTime, help: "Seconds in which any source ran."),
        ]
    }

    private var clientFamilies: [MetricFamily] {
        var refusals = MetricFamily(
            "locationd_authorization_refusals_total", .counter,
            help: "Calls of programs that may not know the position, by their authorization.")
        // All series exist from the start: Prometheus does not see the increase of a series that begins above 0.
        let statuses: [AuthorizationStatus] = [
            .notDetermined, .restricted, .denied, .authorizedWhenInUse, .authorizedAlways,
        ]
        for status in statuses {
            refusals.add(authorizationRefusals[status] ?? 0, ("authorization", status.rawValue))
        }
        return [
            .gauge("locationd_clients", Double(statistics.clients), help: "Open connections."),
            .gauge("locationd_watches", Double(statistics.watches), help: "Open watches."),
            .gauge("locationd_monitors", Double(statistics.monitors), help: "Open monitors."),
            .gauge("locationd_waiting_requests", Double(statistics.requests), help: "Requests that wait for a fix."),
            .counter("locationd_deliveries_total", statistics.deliveries, help: "Replies sent to watches."),
            .counter(
                "locationd_encodings_total", encodings,
                help: "Replies to watches that were encoded; one goes to all who are to see the same."),
            .counter("locationd_dropped_total", statistics.dropped, help: "Locations that slow watches lost."),
            .counter(
                "locationd_refused_connections_total", statistics.refusedConnections,
                help: "Connections refused for their number, their rate, or because the kernel does not say whose."),
            .counter("locationd_bad_requests_total", badRequests, help: "Calls answered by an error of the caller's."),
            .counter(
                "locationd_internal_errors_total", internalErrors,
                help: "Invariants of the daemon that did not hold; please report them."),
            refusals,
        ]
    }

    /// The counters of a source that do not concern decoding.
    private static let reconnectKinds = ["connectionFailures", "silences"]
}
