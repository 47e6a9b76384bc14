import Glibc
import ServiceKit
@_spi(Programs) import SystemSupport

/// A unit of a service around the daemon, as `systemctl show` describes it.
struct ServiceUnit: Equatable {
    let name: String
    let isActive: Bool
    /// Whether it has failed, or is started again and again.
    let isFailing: Bool
    /// Whether the program says of itself that it does not do what it is there for.
    let isDegraded: Bool
    /// What it says of itself, without the mark of that; empty if it says nothing.
    let status: String

    /// The installed ones among the units of an answer, which are separated by empty lines.
    static func units(in answer: [String]) -> [ServiceUnit] {
        answer.split(separator: "").compactMap { lines in
            let properties = Dictionary(
                lines.compactMap { line -> (String, String)? in
                    guard let sign = line.firstIndex(of: "=") else { return nil }
                    return (String(line[..<sign]), String(line[line.index(after: sign)...]))
                }, uniquingKeysWith: { first, _ in first })
            guard properties["LoadState"] == "loaded", let name = properties["Id"] else { return nil }
            let (state, words) = (properties["ActiveState"], properties["StatusText"] ?? "")
            let isDegraded = words.hasPrefix(Notification.degradedMark)
            return ServiceUnit(
                name: name, isActive: state == "active",
                isFailing: state == "failed" || properties["SubState"] == "auto-restart",
                isDegraded: isDegraded,
                status: isDegraded ? String(words.dropFirst(Notification.degradedMark.count)) : words)
        }
    }

    /// Without the project's name and the unit's kind.
    var shortName: String {
        String(name.dropFirst(name.hasPrefix("locationd-") ? 10 : 0).prefix { $0 != "." })
    }
}

/// The services around the daemon, whose state systemd knows.
extension Diagnosis {
    static let serviceUnits = ["bridge", "geoclue", "places", "history", "fleet", "web", "nearby"].map {
        "locationd-\($0).service"
    }

    /// Says what systemd knows of the services that are installed, and nothing on a machine without systemd.
    mutating func services() {
        guard access("/run/systemd/system", F_OK) == 0,
            let answer = Self.output(of: "/usr/bin/systemctl", Self.showing + Self.serviceUnits)
        else { return }
        let units = ServiceUnit.units(in: answer)
        services(units)
        guard let unit = units.first(where: { $0.shortName == "geoclue" })?.name else { return }
        // Who may not read the service's journal gets nothing of it.
        refusedPrograms(by: Self.output(of: "/usr/bin/journalctl", Self.reading + ["--unit=\(unit)"]) ?? [])
    }

    mutating func services(_ units: [ServiceUnit]) {
        for unit in units {
            let status = unit.status.isEmpty ? nil : unit.status
            if unit.isFailing {
                fail(
                    unit.shortName, status ?? "it has failed",
                    advice:
                        "`journalctl -u \(unit.name)` has the reason; after correcting it `sudo systemctl restart \(unit.name)`"
                )
            } else if unit.isActive, unit.isDegraded {
                fail(
                    unit.shortName, status ?? "it does not work",
                    advice: "`systemctl status \(unit.name)` shows the present state")
            } else if unit.isActive {
                add(unit.shortName, status ?? "it runs")
            } else {
                add(unit.shortName, "it does not run at present")
            }
        }
    }

    private static let showing = ["show", "--property=Id,LoadState,ActiveState,SubState,StatusText", "--"]
    private static let reading = ["--quiet", "--no-pager", "--output=cat", "--since=-24h", "--lines=1000"]

    /// - Returns: the lines that a program of systemd prints; `nil` if it fails.
    private static func output(of path: String, _ arguments: [String]) -> [String]? {
        guard let waker = Waker() else { return nil }
        do {
            var lines: [String] = []
            var program = try ServiceChild(path, arguments)
            while case .line(let line) = try program.nextEvent(waker: waker, seconds: 5) {
                lines.append(String(decoding: line, as: UTF8.self))
            }
            return lines
        } catch {
            return nil
        }
    }
}
