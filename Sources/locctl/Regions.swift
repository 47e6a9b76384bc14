import ArgumentParser
import LocationInterface
import LocationKit

/// What is kept to be monitored.
struct Regions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists your kept monitors and on which side of each region's border the machine is.",
        discussion:
            "A state is as old as the fix that decided it: while no program has a monitor, nothing is monitored.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: ArgumentHelp("Forget what is kept under this name.", valueName: "name"), completion: .monitors)
    var remove: String?

    @Flag(help: "What all users keep, for an administrator.")
    var all = false

    func validate() throws {
        if all, remove != nil { throw ValidationError("to remove another's, use `locctl forget-monitor`") }
    }

    func run() throws {
        if all { return try options.tellAllMonitors() }
        let connection = try options.connect()
        if let remove {
            _ = try connection.call(
                LocationInterface.Method.removeMonitor, MonitorName(name: remove), as: NothingToSay.self)
            return try options.tellDone()
        }
        let list = try connection.call(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self)
        if options.json { return try Output.writeJSON(list) }
        for line in RegionsText.lines(list.monitors) { Output.write(line) }
    }
}

/// Kept monitors as a person reads them.
enum RegionsText {
    static func lines(_ monitors: [NamedMonitorOnWire]) -> [String] {
        guard !monitors.isEmpty else {
            return ["Nothing is kept; `locctl monitor-region --name NAME LATITUDE LONGITUDE RADIUS` keeps a region."]
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
