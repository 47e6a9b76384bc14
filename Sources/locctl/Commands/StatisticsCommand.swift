import AdministrationInterface
import ArgumentParser
import LocationInterface
import LocationKit

/// `locctl statistics`: shows the daemon's counters.
struct StatisticsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statistics", abstract: "Shows the daemon's counters since its start.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: "prometheus, the text format of Prometheus.")
    var format: Format?

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case prometheus
    }

    func validate() throws {
        if options.json, format != nil { throw ValidationError("choose one of --json and --format") }
    }

    func run() throws {
        if format == .prometheus {
            return Output.writeText(
                try options.administer(AdminInterface.Method.getMetrics, as: MetricsReply.self).text)
        }
        let reply = try options.administer(AdminInterface.Method.getStatistics, as: StatisticsReply.self)
        if options.json { return try Output.writeJSON(reply.statistics) }
        for line in lines(reply.statistics) { Output.write(line) }
    }

    private func lines(_ all: Statistics) -> [String] {
        let memory = all.residentBytes.map { ", \(Text.number(Double($0) / 1_048_576, 1)) MiB" } ?? ""
        var lines = [
            "locationd \(all.version), pid \(all.pid), up \(Text.duration(all.uptime))\(memory)",
            "clients     \(all.clients) connected, \(all.watches) watch, \(all.monitors) monitor, \(all.requests) wait, "
                + "\(all.refusedConnections) were refused",
            "fixes       \(all.fixes) (\(all.repeats) repeats dropped), last number \(all.sequence)",
            "deliveries  \(all.deliveries), \(all.dropped) locations dropped for slow readers",
            "receivers   \(all.demand ? "requested" : "not requested"), on for \(Text.duration(all.receiverTime)), "
                + "\(Text.duration(all.unclaimedReceiverTime)) of it after the last request and to refresh",
        ]
        for share in all.receiverShares {
            lines.append("  for \(PrincipalText.words(share.principal)): \(Text.duration(share.receiverTime))")
        }
        if let battery = all.battery {
            let level = battery.level.map { "at \(Text.number($0, 0)) %" } ?? "not known"
            lines.append(
                "battery     \(level)\(battery.discharging == true ? ", discharging" : "")"
                    + "\(battery.low ? ", below" : "; sources stop below") \(battery.minimum) %, "
                    + "\(battery.faults) readings not believed")
        }
        for source in all.sources {
            lines.append(
                "  source \(source.name): \(source.enabled ? source.running ? "running" : "stopped" : "switched off"), \(source.fixes) fixes"
                    + (source.reason.map { "; \($0)" } ?? ""))
            for (kind, count) in source.counters.sorted(by: { $0.key < $1.key }) {
                lines.append("    \(kind): \(count)")
            }
        }
        for receiver in all.receivers {
            let age = receiver.fixAge.map { ", fix \(Text.duration($0)) old" } ?? ""
            let rhythm = receiver.interval.map { ", every \(Text.number($0, 2)) s" } ?? ""
            lines.append(
                "  receiver \(receiver.device ?? receiver.source): \(receiver.hasFix ? "has a fix" : "no fix")"
                    + "\(receiver.followed ? ", followed" : "")\(age)\(rhythm)")
        }
        return lines
    }
}
