import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// `locctl monitor-region`: reports events at the borders of regions.
struct MonitorRegionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor-region",
        abstract: "Reports when a circle, or the polygons of a file, are entered and left, until Ctrl-C.",
        discussion: """
            Southern and western coordinates are negative: `locctl monitor-region -33.86 151.21 200`.
            With --name and no region it uses the regions that are persisted under the name.
            """)

    @OptionGroup var options: ConnectionOptions

    // A minus would make a plain argument look like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The middle, degrees north and east, and the radius in metres.",
            valueName: "latitude longitude radius"))
    var circle: [String] = []

    @Option(
        name: .customLong("geojson"), help: ArgumentHelp("The polygons of a GeoJSON file.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "Also report when the machine has been inside for so many seconds without a break.", valueName: "seconds"))
    var dwell: Double?

    @Option(help: ArgumentHelp("Persist the regions under this name.", valueName: "name"), completion: .monitors)
    var name: String?

    @Option(help: ArgumentHelp("End after so many events.", valueName: "n"))
    var count: Int?

    @Flag(help: "Start no receiver; use the locations that other programs request.")
    var passive = false

    @Option(help: ArgumentHelp("The purpose, shown to the administrator.", valueName: "text"))
    var purpose: String?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is 1 or more") }
        if let dwell, !Region.dwellRange.contains(dwell) { throw ValidationError("--dwell is 1 to 86400 seconds") }
        if let name, !(1...128).contains(name.utf8.count) { throw ValidationError("--name has 1 to 128 bytes") }
        if file != nil, !circle.isEmpty { throw ValidationError("--geojson cannot be used with a circle") }
        if file == nil, circle.isEmpty {
            guard name != nil else {
                throw ValidationError(
                    "give a latitude, a longitude and a radius, or --geojson, or the --name of persisted regions")
            }
            if dwell != nil { throw ValidationError("--dwell requires a circle or --geojson") }
        } else if file == nil {
            _ = try circleRegion
        }
    }

    private var circleRegion: Region {
        get throws {
            let numbers = PositionArgument.numbers(circle)
            let center = try PositionArgument.coordinate(Array(numbers.prefix(2)))
            guard numbers.count == 3, let radius = Double(numbers[2]) else {
                throw ValidationError("give a latitude, a longitude and a radius in metres")
            }
            do throws(InvalidField) {
                return try Region(
                    identifier: "circle", shape: .circle(RegionCircle(center: center, radius: radius)), dwell: dwell)
            } catch {
                throw ValidationError("the \(error)")
            }
        }
    }

    private var regions: [Region]? {
        get throws {
            if let file { return try RegionFile.regions(at: file, dwell: dwell) }
            return circle.isEmpty ? nil : [try circleRegion]
        }
    }

    func run() throws {
        let request = MonitorRequest(
            name: name, subjects: try regions.map { MonitorSubjects(regions: $0) }, passive: passive,
            purpose: purpose ?? "locctl")
        try Interruption.withWaker { try follow(request, until: $0) }
    }

    /// The next reply. Between replies the next part of the upload is sent, if it is ready.
    private func next(from connection: VarlinkConnection, sending upload: inout RegionUpload?) throws -> Reply? {
        while upload?.isReady == true {
            if let reply = try connection.nextReply(seconds: 0) { return reply }
            if try upload?.sendNextStep() != true { upload = nil }
        }
        return try connection.nextReply()
    }

    private func follow(_ request: MonitorRequest, until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        var request = request
        var upload = try RegionUpload(&request, over: options.connect(waker: waker), until: waker)
        try connection.send(LocationInterface.Method.monitor, request, more: true)
        var printer = RegionPrinter()
        var events = 0
        while let reply = try next(from: connection, sending: &upload) {
            if let upload, !upload.isReady, reply.error == LocationInterface.Failure.tooManyRequests {
                upload.pause()
                try connection.send(LocationInterface.Method.monitor, request, more: true)
                continue
            }
            let news = try reply.answer(as: MonitorReply.self)
            try news.status?.requirePermission()
            upload?.isReady = true
            if options.json { try Output.writeJSON(news) } else if reply.continues { printer.print(news) }
            if news.region?.event != nil { events += 1 }
            if events == count { return try upload?.sendAllSteps() ?? () }
            guard reply.continues else {
                let reason = news.status?.reason ?? "gone"
                throw Failure(code: ExitCodes.daemonNotReachable, message: "the service is \(reason)")
            }
        }
    }
}

/// Sends more regions than fit into one call, in several calls, under a name.
struct RegionUpload {
    private let connection: VarlinkConnection
    private let waker: Waker
    private let name: String
    private var present: [Region]
    private let wanted: [Region]
    /// True once the monitor call was answered: the following calls change what it has stored.
    var isReady = false

    /// Reduces a request to what fits into one call. If regions are persisted under the name already, they stay, and
    /// with them their known state.
    ///
    /// - Parameters:
    ///   - connection: for the calls beside the monitor call.
    ///   - waker: the connection's.
    /// - Returns: `nil` if one call is enough; else the upload continues after the first reply.
    init?(
        _ request: inout MonitorRequest, over connection: @autoclosure () throws -> VarlinkConnection,
        until waker: Waker
    ) throws {
        guard let regions = request.subjects?.regions else { return nil }
        let first = MonitorRequestSize.fitting(regions)
        guard first.count < regions.count else { return nil }
        guard let name = request.name else {
            throw Failure(
                code: ExitCodes.usage,
                message: "these \(regions.count) regions do not fit into one call; persist them under a --name")
        }
        (self.name, wanted, self.waker) = (name, regions, waker)
        self.connection = try connection()
        let list = try self.connection.call(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self)
        let persisted = list.monitors.first { $0.name == name && $0.significantChange == nil && !$0.visits }
        present = persisted?.regions ?? first
        request.subjects = persisted == nil ? MonitorSubjects(regions: first) : nil
    }

    /// Sends the next part; waits for the result. A part that exceeds the rate limit is sent again later.
    /// - Returns: false if nothing was left to send.
    mutating func sendNextStep() throws -> Bool {
        guard let step = RegionsChange(from: present, to: wanted) else { return false }
        let parameters = ChangeRegionsParameters(name: name, add: step.added, remove: step.removed)
        do throws(LocationError) {
            _ = try connection.call(LocationInterface.Method.changeRegions, parameters, as: NoParameters.self)
            present = step.result
        } catch .tooManyRequests {
            pause()
        }
        return true
    }

    /// Sends all remaining parts.
    mutating func sendAllSteps() throws {
        while try sendNextStep() {}
    }

    /// Waits until the daemon's rate limit allows further calls: listing persisted monitors counts as several calls.
    func pause() {
        _ = waker.wait(for: -1, events: 0, seconds: 1)
    }
}
