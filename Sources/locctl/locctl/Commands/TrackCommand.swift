import ArgumentParser
import Glibc
import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Varlink

/// When, for the commands that read a track.
struct PeriodOptions: ParsableArguments {
    @Option(help: ArgumentHelp("From this moment on: \(MomentArgument.help).", valueName: "time"))
    var from: MomentArgument?

    @Option(help: ArgumentHelp("Up to this moment, or to the end of this day.", valueName: "time"))
    var to: MomentArgument?

    func validate() throws {
        if let from, let to, from.begin > to.end { throw ValidationError("--from is after --to") }
    }
}

/// `locctl track`: writes where the machine was.
struct TrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Writes where this machine was, as locationd-history has recorded it.",
        discussion: """
            Whoever may know the position fully now may read the track. `locctl track --from yesterday --to yesterday \
            --format gpx -o yesterday.gpx` writes a file for a map. The subcommands are of the recording.
            """,
        subcommands: [TrackStateCommand.self, PauseTrackCommand.self, ResumeTrackCommand.self])

    @OptionGroup var options: HistoryOptions
    @OptionGroup var file: TrackFileOption
    @OptionGroup var period: PeriodOptions

    @Option(help: ArgumentHelp("This trip alone, by its number in `locctl trips`.", valueName: "number"))
    var trip: Int64?

    @Option(help: "Write for other programs, geojsonl with a Feature a line; a list for people by default.")
    var format: TrackFormat?

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("The file; it must not exist yet. Standard output by default.", valueName: "file"),
        completion: .file())
    var output = "-"

    @Flag(help: "With simulated and replayed locations.")
    var includeSimulated = false

    func validate() throws {
        try refuse([("--format", format != nil), ("--output", output != "-")], with: "--json", if: options.json)
    }

    func run() throws {
        var target = try NewFile(at: output)
        var writer = TrackWriter(format)
        let request = TrackRequest(
            from: period.from?.begin, to: period.to?.end, trip: trip, includeSimulated: includeSimulated ? true : nil)
        do {
            try options.connect(file: file.path) { connection in
                try connection.send(HistoryInterface.Method.getTrack, request, more: true)
                while true {
                    guard let reply = try connection.nextReply() else { throw LocationError.cancelled }
                    let track = try reply.answer(as: TrackReply.self)
                    if options.json {
                        try Output.writeJSON(track)
                    } else {
                        for point in track.points { try writer.add(point, to: &target) }
                    }
                    if !reply.continues { break }
                }
            }
        } catch {
            // What was written before a denial is a complete file of its format all the same.
            if writer.count > 0 { try? writer.close(&target) }
            throw error
        }
        guard !options.json else { return }
        guard writer.count > 0 else {
            let simulated = includeSimulated ? "" : ", and --include-simulated shows simulated locations too"
            throw Failure(
                code: ExitCodes.noLocation,
                message: "nothing is recorded there; `locctl trips` lists the trips" + simulated)
        }
        try writer.close(&target)
        if !target.isStandardOutput {
            Output.write("\(writer.count) locations written to \(target.path)", to: STDERR_FILENO)
        }
    }
}

/// The formats of `locctl track`.
enum TrackFormat: String, CaseIterable, ExpressibleByArgument {
    case gpx, geojson, geojsonl, csv, kml, nmea

    /// A writer that breaks lines at gaps of the track alone, which it is told.
    fileprivate var writer: any LocationFormat {
        switch self {
        case .gpx: GPXTrack(longestGap: nil)
        case .geojson: GeoJSONCollection()
        case .geojsonl: GeoJSONLines()
        case .csv: CSVTable()
        case .kml: KMLDocument(longestGap: nil)
        case .nmea: NMEASentences()
        }
    }
}

/// Writes points one by one; the file is created with the first.
private struct TrackWriter {
    private var format: any LocationFormat
    private(set) var count = 0

    init(_ format: TrackFormat?) { self.format = format?.writer ?? PointList() }

    mutating func add(_ point: TrackReply.Point, to file: inout NewFile) throws {
        guard let location = point.location else { return }
        if try file.create() { try write(format.opening, to: file) }
        if point.afterGap == true, count > 0 { format.interrupt() }
        count += 1
        try write(format.record(for: location), to: file)
    }

    mutating func close(_ file: inout NewFile) throws { try write(format.closing, to: file) }

    private func write(_ text: String, to file: NewFile) throws {
        if file.isStandardOutput { Output.writeText(text) } else { try file.write(Array(text.utf8)) }
    }
}

/// Points for people.
private struct PointList: LocationFormat {
    private var isInterrupted = false

    var opening: String { "" }

    mutating func record(for location: Location) -> String {
        defer { isInterrupted = false }
        return (isInterrupted ? "-- no locations\n" : "") + "\(Text.line(location))\n"
    }

    mutating func interrupt() { isInterrupted = true }

    var closing: String { "" }
}
