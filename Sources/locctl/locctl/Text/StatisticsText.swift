@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The daemon's counters for an administrator to read.
enum StatisticsText {
    static func lines(_ all: Statistics) -> [String] {
        let memory = all.residentBytes.map { ", \(Text.number(Double($0) / 1_048_576, 1)) MiB" } ?? ""
        var lines = [
            "locationd \(all.version), pid \(all.pid), up \(Text.duration(all.uptime))\(memory)",
            "clients     \(count(all.clients, "connection")): \(count(all.watches, "watch", "watches")), "
                + "\(count(all.monitors, "monitor")), \(count(all.requests, "request")) for one location; "
                + "\(count(all.refusedConnections, "connection")) refused",
            "fixes       \(all.fixes), the last with the sequence number \(all.sequence); "
                + "\(count(all.repeats, "repeat")) dropped",
            "deliveries  \(all.deliveries); \(count(all.dropped, "location")) dropped for slow readers",
            "receivers   \(all.demand ? "requested" : "not requested"), on for \(Text.duration(all.receiverTime)), "
                + "\(Text.duration(all.unclaimedReceiverTime)) of it when no client needed them"
                + (all.sparedReceiverTime.map { "; off for \(Text.duration($0)) while the network sufficed" } ?? ""),
        ]
        for share in all.receiverShares {
            lines.append("  for \(PrincipalText.words(share.principal)): \(Text.duration(share.receiverTime))")
        }
        if let battery = all.battery { lines.append(line(battery)) }
        for source in all.sources {
            let state = source.enabled ? source.running ? "running" : "stopped" : "switched off"
            lines.append(
                "  source \(source.name): \(state), \(count(source.fixes, "fix", "fixes"))"
                    + (source.reason.map { "; \($0)" } ?? ""))
            for (kind, number) in source.counters.sorted(by: { $0.key < $1.key }) {
                lines.append("    \(words(number, of: kind))")
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

    private static func line(_ battery: BatteryReport) -> String {
        let level = battery.level.map { "at \(Text.number($0, 0)) %" } ?? "not known"
        return "battery     \(level)\(battery.discharging == true ? ", discharging" : "")"
            + "\(battery.low ? ", below" : "; sources stop below") \(battery.minimum) %; "
            + "\(count(battery.faults, "reading")) not believed"
    }

    /// A number with its noun, as "1 watch" and "2 watches".
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    /// What a source's counters count, for one and for many.
    private static let kinds: [String: (one: String, many: String)] = [
        "coalesced": ("heading passed over for a newer one", "headings passed over for newer ones"),
        "connectionFailures": ("connection failed", "connections failed"),
        "errors": ("error reported by gpsd", "errors reported by gpsd"),
        "failures": ("failure", "failures"),
        "floods": ("second with too many headings", "seconds with too many headings"),
        "foreign": ("heading of another program", "headings of another program"),
        "garbage": ("line that is none of gpsd's", "lines that are none of gpsd's"),
        "impossible": ("impossible message", "impossible messages"),
        "jump": ("fix held back: too far from the one before", "fixes held back: too far from the one before"),
        "malformed": ("malformed message", "malformed messages"),
        "nullIsland": ("fix held back: at 0° N 0° E", "fixes held back: at 0° N 0° E"),
        "overlong": ("line too long", "lines too long"),
        "silences": ("silence", "silences"),
        "spoiltFields": ("message with spoilt fields", "messages with spoilt fields"),
        "timeRunsBack": ("fix held back: its time runs back", "fixes held back: their time runs back"),
    ]

    /// A counter; one of a later version by its own name.
    private static func words(_ number: Int, of kind: String) -> String {
        guard let words = kinds[kind] else { return "\(kind): \(number)" }
        return count(number, words.one, words.many)
    }
}
