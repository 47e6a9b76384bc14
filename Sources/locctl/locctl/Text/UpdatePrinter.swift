import Glibc
import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// Writes a watch's replies for a person, as JSON, or in the format of another program.
struct UpdatePrinter {
    private let json: Bool
    private var format: (any LocationFormat)?
    private var isReduced = false
    private let namesSource: Bool
    /// The table layout, for a terminal.
    private var table: FixTable?
    private var header: ScreenLine?
    private var lastHeading: String?
    private var lastLocation: Location?

    /// - Parameters:
    ///   - namesSource: whether each fix names its source.
    ///   - style: the style of the terminal; `nil` if the output is none.
    init(json: Bool, format: LocationFormatName?, longestGap: Double, namesSource: Bool, style: ScreenStyle?) {
        self.json = json
        self.format = format?.makeFormat(longestGap: longestGap)
        self.namesSource = namesSource
        table = style.map { FixTable(style: $0, namesSource: namesSource) }
    }

    func open() {
        if let format { Output.writeText(format.opening) }
    }

    func close() {
        if let format { Output.writeText(format.closing) }
    }

    mutating func print(_ update: WatchReply) throws {
        if json { return try Output.writeJSON(update) }
        if format != nil {
            return printRecords(of: update)
        }
        if let status = update.status { noteReducedAccuracy(status) }
        // The status is for people, and not part of the data.
        if let status = update.status, status.source != .tracking || status.reason != nil {
            writeNote(Text.line(status))
        }
        if let dropped = update.dropped { writeNote("-- \(dropped) locations were dropped") }
        if let location = update.location { print(location) }
        if let heading = update.heading { print(heading) }
        if let satellites = update.satellites { Output.write(line(satellites)) }
    }

    private mutating func printRecords(of update: WatchReply) {
        if let status = update.status {
            if var sentences = format as? NMEASentences {
                sentences.isReduced = status.accuracy == .reduced
                format = sentences
            }
        }
        if var location = update.location?.value {
            // Readers of NMEA may ignore an RMC without a date.
            if format is NMEASentences { location = location.statingTime(at: MachineClock.now, utc: MachineClock.utc) }
            if let text = format?.record(for: location) { Output.writeText(text) }
        }
        if let satellites = update.satellites, let text = format?.record(for: satellites) { Output.writeText(text) }
    }

    /// Explains once why locations are rare.
    private mutating func noteReducedAccuracy(_ status: ServiceStatus) {
        let wasReduced = isReduced
        isReduced = status.accuracy == .reduced
        guard isReduced, !wasReduced else { return }
        writeNote("-- reduced accuracy: \(Text.reduction)")
    }

    private func writeNote(_ text: String) {
        var line = ScreenLine(isatty(STDERR_FILENO) == 1 ? table?.style ?? .plain : .plain)
        line.add(text, .warning)
        Output.write(line, to: STDERR_FILENO)
    }

    private mutating func print(_ location: Aged<Location>) {
        defer { lastLocation = location.value }
        if let lastLocation, Self.repeats(location.value, lastLocation) { return }
        guard table != nil else {
            let line = Text.line(location.value, age: location.age, isReduced: isReduced, namesSource: namesSource)
            return Output.write(line)
        }
        let columns = Terminal.size.columns
        let header = table?.header(columns: columns)
        // Written once, and again when the terminal's width has changed the columns.
        if let header, header != self.header { Output.write(header) }
        self.header = header
        for line in table?.lines(location, columns: columns, .machine) ?? [] { Output.write(line) }
    }

    /// Whether a network position is that of the same measurement, which a provider tells again while it holds. When
    /// the measurement was made is known by its age, to some milliseconds.
    static func repeats(_ location: Location, _ last: Location) -> Bool {
        location.source.method == .network && location.saysTheSame(as: last)
            && abs(location.monotonicTime.seconds(since: last.monotonicTime)) < 0.5
    }

    /// A compass repeats itself while nothing turns; that is no news.
    private mutating func print(_ heading: Aged<Heading>) {
        let words = HeadingText.words(heading.value)
        guard words != lastHeading else { return }
        lastHeading = words
        Output.write(HeadingText.line(heading, .machine))
    }

    private func line(_ satellites: [Satellite]) -> String {
        let shown = satellites.map { satellite in
            let signal = satellite.signal.map { " \(Text.number($0, 0))" } ?? ""
            return "\(satellite.gnss) \(satellite.id)\(signal)\(satellite.used ? "*" : "")"
        }
        return "satellites  " + (shown.isEmpty ? "none in view" : shown.joined(separator: ", "))
    }
}
