import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Varlink

/// `locctl regions`: lists the caller's persisted monitors.
struct RegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions",
        abstract: "Lists your persisted monitors with the state of each region.",
        discussion:
            "A state is as old as the fix that decided it: a monitor is evaluated only while a program uses it.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: ArgumentHelp("Remove the monitor of this name.", valueName: "name"), completion: .monitors)
    var remove: String?

    @Flag(help: "List the monitors of all users; for administrators.")
    var all = false

    func validate() throws {
        if all, remove != nil {
            throw ValidationError(
                "--remove cannot be used with --all; `locctl forget-monitor` removes a monitor of another user")
        }
    }

    func run() throws {
        if all { return try options.writeAllMonitors() }
        let connection = try options.connect()
        if let remove {
            _ = try connection.call(
                LocationInterface.Method.removeMonitor, MonitorName(name: remove), as: NoParameters.self)
            return try options.writeOutcome("the monitor \(RegionText.shown(remove)) is removed")
        }
        let list = try connection.call(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self)
        if options.json { return try Output.writeJSON(list) }
        for line in RegionsText.lines(list.monitors) { Output.write(line) }
    }
}

/// Persisted monitors for a person to read.
enum RegionsText {
    static func lines(_ monitors: [NamedMonitorOnWire]) -> [String] {
        guard !monitors.isEmpty else {
            return [
                "You have no persisted monitors; `locctl monitor-region --name NAME LATITUDE LONGITUDE RADIUS` adds one."
            ]
        }
        var table = Table(["MONITOR", "PROGRAM", "REGION", "STATE", "AGE", "WHERE"])
        for monitor in monitors {
            let reports = Dictionary(monitor.reports.map { ($0.identifier, $0) }) { $1 }
            let head = [RegionText.shown(monitor.name), monitor.active ? "connected" : "-"]
            for region in monitor.regions {
                let report = reports[region.identifier]
                table.add(
                    head + [
                        RegionText.shown(region.identifier), RegionText.words(report?.state ?? .unknown),
                        report?.location.map { Text.duration($0.age) } ?? "-", RegionText.place(region),
                    ])
            }
            if let change = monitor.significantChange {
                table.add(head + ["(moves)", "-", "-", "by \(Text.distance(change.distance))"])
            }
            if monitor.visits { table.add(head + ["(visits)", "-", "-", "anywhere"]) }
            if monitor.regions.isEmpty, monitor.significantChange == nil, !monitor.visits {
                table.add(head + ["(nothing)", "-", "-", "-"])
            }
        }
        return table.lines
    }
}
