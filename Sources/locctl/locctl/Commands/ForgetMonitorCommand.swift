import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl forget-monitor`: removes a user's persisted monitors.
struct ForgetMonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-monitor",
        abstract: "Removes a user's persisted monitors; programs that use them are notified.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: PrincipalArgument

    @Option(
        help: ArgumentHelp("Only the monitor of this name, as `locctl regions --all` shows it.", valueName: "name"),
        completion: .allMonitors)
    var name: String?

    func run() throws {
        do {
            let answer = try options.administer(
                AdminInterface.Method.forgetMonitors,
                ForgetMonitorsParameters(principal: whom.principal, name: name), as: MonitorsForgotten.self,
                wait: ConnectionOptions.diskTimeout)
            if options.json { return try Output.writeJSON(answer) }
            let what = answer.forgotten == 1 ? "monitor" : "monitors"
            Output.write("\(answer.forgotten) \(what) of \(PrincipalText.words(answer.principal)) forgotten")
        } catch LocationError.refused(AdminInterface.Failure.noSuchPrincipal, _) {
            throw PrincipalText.unknown(whom.principal)
        } catch LocationError.refused(AdminInterface.Failure.noSuchMonitor, _) {
            let what = name.map { " under the name \(RegionText.shown($0))" } ?? ""
            throw Failure(
                code: ExitCodes.failed,
                message: "\(PrincipalText.words(whom.principal)) has no persisted monitor\(what); "
                    + "`locctl regions --all` lists the persisted monitors")
        }
    }
}

extension ConnectionOptions {
    /// Writes the persisted monitors of all users.
    func writeAllMonitors() throws {
        let list = try administer(AdminInterface.Method.listMonitors, as: AllMonitorsReply.self)
        if json { return try Output.writeJSON(list) }
        for line in AllMonitorsText.lines(list.monitors) { Output.write(line) }
    }
}

/// The persisted monitors of all users, for an administrator to read.
enum AllMonitorsText {
    static func lines(_ monitors: [NamedMonitorReport]) -> [String] {
        guard !monitors.isEmpty else { return ["No user has persisted monitors."] }
        var table = Table(["WHO", "MONITOR", "PROGRAM", "AUTHORIZED", "REGIONS", "LIMIT WEIGHT", "ALSO"])
        for monitor in monitors {
            let also = [monitor.significantChange ? "moves" : nil, monitor.visits ? "visits" : nil].compactMap(
                \.self)
            table.add([
                PrincipalText.words(monitor.principal), RegionText.shown(monitor.name),
                monitor.active ? "connected" : "-", monitor.authorized ? "yes" : "no", "\(monitor.regions)",
                "\(monitor.weight)", also.joined(separator: ", "),
            ])
        }
        return table.lines
    }
}
