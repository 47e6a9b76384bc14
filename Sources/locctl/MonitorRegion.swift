import ArgumentParser
import LocationInterface
import LocationKit
import SystemSupport
import Varlink

/// What happens at the borders of regions.
struct MonitorRegion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells when a circle, or the polygons of a file, are entered and left, until Ctrl-C.",
        discussion: """
            Southern and western coordinates are negative: `locctl monitor-region -33.86 151.21 200`.
            With --name and no region it takes up what is kept under the name.
            """)

    @OptionGroup var options: ConnectionOptions

    // A minus would make a plain argument look like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The middle, degrees north and east, and the metres from there to the edge.",
            valueName: "latitude longitude radius"))
    var circle: [String] = []

    @Option(
        name: .customLong("geojson"), help: ArgumentHelp("The polygons of a GeoJSON file.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("Tell also when it was inside for so many seconds without a break.", valueName: "seconds"))
    var dwell: Double?

    @Option(help: "Keep the regions under this name, over restarts.", completion: .monitors)
    var name: String?

    @Option(help: "End after so many events.")
    var count: Int?

    @Flag(help: "Watch what others cause, and start no receiver.")
    var passive = false

    @Option(help: "What it is for; shown to the administrator.")
    var purpose: String?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is 1 or more") }
        if let dwell, !Region.dwellRange.contains(dwell) { throw ValidationError("--dwell is 1 to 86400 seconds") }
        if let name, !(1...128).contains(name.utf8.count) { throw ValidationError("--name has 1 to 128 bytes") }
        if file != nil, !circle.isEmpty { throw ValidationError("give a circle or --geojson, not both") }
        if file == nil, circle.isEmpty {
            guard name != nil else {
                throw ValidationError(
                    "give a latitude, a longitude and a radius, or --geojson, or the --name of kept ones")
            }
            if dwell != nil { throw ValidationError("--dwell is for regions that are given") }
        } else if file == nil {
            _ = try circleRegion
        }
    }

    private var circleRegion: Region {
        get throws {
            let center = try PositionArgument.coordinate(Array(circle.prefix(2)))
            guard circle.count == 3, let radius = Double(circle[2]) else {
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
        try Interruption.heeded { try follow(request, until: $0) }
    }

    /// The next reply. While none waits, the steps that are due are taken.
    private func next(from connection: VarlinkConnection, taking steps: inout RegionSteps?) throws -> Reply? {
        while steps?.areDue == true {
            if let reply = try connection.nextReply(seconds: 0) { return reply }
            if try steps?.takeOne() != true { steps = nil }
        }
        return try connection.nextReply()
    }

    private func follow(_ request: MonitorRequest, until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        var request = request
        var steps = try RegionSteps(&request, over: options.connect(waker: waker), until: waker)
        try connection.send(LocationInterface.Method.monitor, request, more: true)
        var printer = RegionPrinter()
        var events = 0
        while let reply = try next(from: connection, taking: &steps) {
            if let steps, !steps.areDue, reply.error == LocationInterface.Failure.tooManyRequests {
                steps.pause()
                try connection.send(LocationInterface.Method.monitor, request, more: true)
                continue
            }
            let news = try reply.answer(as: MonitorReply.self)
            try news.status?.requirePermission()
            steps?.areDue = true
            if options.json { try Output.writeJSON(news) } else if reply.continues { printer.print(news) }
            if news.region?.event != nil { events += 1 }
            if events == count { return try steps?.takeAll() ?? () }
            guard reply.continues else {
                let reason = news.status?.reason ?? "gone"
                throw Failure(code: ExitCodes.daemonNotReachable, message: "the service is \(reason)")
            }
        }
    }
}
