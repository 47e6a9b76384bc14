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
        guard access("/run/systemd/system", F_OK) == 0, let answer = Self.show(Self.serviceUnits) else { return }
        services(ServiceUnit.units(in: answer))
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

    /// - Returns: `nil` if systemd does not answer.
    private static func show(_ units: [String]) -> [String]? {
        let properties = "Id,LoadState,ActiveState,SubState,StatusText"
        guard let waker = Waker() else { return nil }
        do {
            var lines: [String] = []
            var systemctl = try ServiceChild("/usr/bin/systemctl", ["show", "--property=\(properties)", "--"] + units)
            while case .line(let line) = try systemctl.nextEvent(waker: waker, seconds: 5) {
                lines.append(String(decoding: line, as: UTF8.self))
            }
            return lines
        } catch {
            return nil
        }
    }
}
