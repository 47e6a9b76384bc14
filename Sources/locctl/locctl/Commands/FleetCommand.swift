import ArgumentParser
import Fleet
import FoundationEssentials
import Glibc
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// `locctl fleet`: the devices of a broker. `locationd-fleet` connects to it, because `locctl` has no client of MQTT.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Shows the devices that publish their position to an MQTT broker.",
        discussion: "Whom this machine reports to is `locctl fleet status`, for administrators.",
        subcommands: [FleetStatusCommand.self, FleetTestCommand.self])

    enum Format: String, CaseIterable, ExpressibleByArgument { case table, geojson, geojsonl }

    @Option(
        help: ArgumentHelp(
            "mqtt://HOST:PORT, or mqtts:// with TLS; that of /etc/locationd/fleet.toml by default.", valueName: "url"))
    var broker: String?

    @Option(help: ArgumentHelp("The topics to subscribe to; owntracks/+/+ by default.", valueName: "filter"))
    var topic: String?

    @Option(
        help: ArgumentHelp("The user name for the broker, and the password.", valueName: "path"), completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("The authorities whose certificates are believed, in PEM.", valueName: "path"),
        completion: .file())
    var caFile: String?

    @Flag(help: "Go on until Ctrl-C.")
    var follow = false

    @Option(help: "How to write the devices; geojsonl is a Feature a line.")
    var format = Format.table

    @Option(help: ArgumentHelp("Without --follow: collect messages for so long.", valueName: "seconds"))
    var wait: NumberArgument = 2.0

    @Flag(help: "Answer in JSON.")
    var json = false

    @OptionGroup var terminalStyle: TerminalStyle

    func validate() throws {
        guard (0.1...3600).contains(wait.value) else { throw ValidationError("--wait is 0.1 to 3600 seconds") }
        if let topic, !TopicFilter.isValid(topic) { throw ValidationError("--topic is \(TopicFilter.accepted)") }
        try refuse([("--json", json)], with: "--format", if: format != .table)
    }

    func run() throws {
        let path = try ServiceChild.path(of: "locationd-fleet")
        if follow, format == .table, !json, Output.isTerminal, TerminalStyle.canMoveCursor {
            return try showLive(path)
        }
        try Interruption.withWaker { waker in
            var child = try ServiceChild(path, arguments)
            try follow ? writeReports(of: &child, until: waker) : writeOnce(of: &child, until: waker)
        }
    }

    private var arguments: [String] {
        var arguments = ["--list-devices"]
        for (name, value) in [
            ("broker", broker), ("topic", topic), ("password-file", passwordFile), ("ca-file", caFile),
        ] {
            if let value { arguments.append("--\(name)=\(value)") }
        }
        return arguments
    }

    /// What locationd-fleet says; `nil` for a line that is none of its.
    private func line(_ bytes: [UInt8]) -> DeviceListLine? {
        try? JSONDecoder().decode(DeviceListLine.self, from: Data(bytes))
    }

    /// Collects messages, and writes all devices once.
    private func writeOnce(of child: inout ServiceChild, until waker: Waker) throws {
        var devices = FleetDevices()
        // From the connection on; a broker that cannot be reached is said at once.
        var end: BootInstant?
        loop: while true {
            switch try child.nextEvent(waker: waker, seconds: end.map { max(0, $0.seconds(since: MachineClock.now)) }) {
            case .woken: return
            case .timedOut, .ended: break loop
            case .line(let bytes):
                guard let line = line(bytes) else { continue }
                _ = devices.apply(line)
                if let state = devices.state, !state.isEmpty {
                    throw Failure(code: ExitCodes.failed, message: state)
                }
                if devices.state != nil, end == nil { end = MachineClock.now.advanced(bySeconds: wait.value) }
                if let end, MachineClock.now >= end { break loop }
            }
        }
        if json {
            return try Output.writeJSON(
                Listing(devices: devices.devices, ignored: devices.ignored, dropped: devices.dropped))
        }
        switch format {
        case .table: for line in devices.lines(at: MachineClock.utc) { Output.write(line) }
        case .geojson:
            try Output.writeJSON(devices.featureCollection)
            for note in devices.notes { Output.write(note, to: STDERR_FILENO) }
        case .geojsonl:
            for feature in devices.featureCollection.features { try Output.writeJSON(feature) }
            for note in devices.notes { Output.write(note, to: STDERR_FILENO) }
        }
    }

    private struct Listing: Encodable {
        let devices: [String: FleetDevices.Device]
        let ignored, dropped: Int
    }

    /// Writes a line for each report, until the program is asked to end. Those of GeoJSON are one FeatureCollection,
    /// which ends with it, or independent of each other.
    private func writeReports(of child: inout ServiceChild, until waker: Waker) throws {
        if format == .geojson { Output.writeText(#"{"type":"FeatureCollection","features":["# + "\n") }
        defer { if format == .geojson { Output.writeText("]}\n") } }
        var isFirst = true
        var devices = FleetDevices()
        while case .line(let bytes) = try child.nextEvent(waker: waker) {
            guard let line = line(bytes) else { continue }
            let report = devices.apply(line)
            if let state = line.state, !state.isEmpty { Output.write("-- \(state)", to: STDERR_FILENO) }
            if line.ignored != nil {
                Output.write("-- a message is ignored: no valid one of a device", to: STDERR_FILENO)
            }
            if let count = line.dropped {
                Output.write(
                    "-- messages were dropped, because more came than could be read: \(count)", to: STDERR_FILENO)
            }
            guard let report else { continue }
            if json {
                try Output.writeJSON(report)
            } else if format != .table {
                guard let feature = FleetFeature(device: report.device, report) else { continue }
                if format == .geojson, !isFirst { Output.writeText(",") }
                isFirst = false
                try Output.writeJSON(feature)
            } else if let device = devices.devices[report.device] {
                Output.write(device.row(report.device, at: MachineClock.utc).joined(separator: "  "))
            }
        }
    }

    /// Draws the table on the terminal after each report, at most ten times a second, and each second because ages
    /// grow.
    private func showLive(_ path: String) throws {
        let terminal = try Terminal()
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let shared = MonitorSharedState(waker: waker)
        try TerminalSignals.forward(to: shared)
        var child = try ServiceChild(path, arguments)
        terminal.enter()
        defer {
            TerminalSignals.allowLeavingFromBackground()
            terminal.leave()
        }
        var (devices, picture) = (FleetDevices(), TerminalPicture())
        var next = MachineClock.now
        while true {
            switch try child.nextEvent(waker: waker, seconds: max(0, next.seconds(since: MachineClock.now))) {
            case .ended: return
            case .line(let bytes):
                if let line = line(bytes), devices.apply(line) != nil || line.state != nil {
                    next = min(next, MachineClock.now.advanced(bySeconds: 0.1))
                }
                guard MachineClock.now >= next else { continue }
            case .woken:
                waker.drain()
                guard shared.carryOutRequests(on: terminal, &picture) else { return }
            case .timedOut: break
            }
            draw(devices, on: terminal, &picture)
            next = MachineClock.now.advanced(bySeconds: 1)
        }
    }

    private func draw(_ devices: FleetDevices, on terminal: Terminal, _ picture: inout TerminalPicture) {
        let (size, style) = (Terminal.size, terminalStyle.style)
        let lines = devices.lines(at: MachineClock.utc).prefix(size.rows).enumerated().map { index, text in
            var line = ScreenLine(style)
            line.add(text, index == 0 ? .faint : .plain)
            line.clip(to: size.columns)
            return line
        }
        let change = picture.change(to: lines, columns: size.columns, rows: size.rows)
        if !change.isEmpty { terminal.write(change) }
    }
}
