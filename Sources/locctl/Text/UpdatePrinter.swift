import Glibc
import LocationFormats
import LocationInterface
import LocationKit

/// Writes a watch's replies for a person, as JSON, or in the format of another program.
struct UpdatePrinter {
    private let json: Bool
    private var format: (any LocationFormat)?
    private var isReduced = false
    /// The table layout, for a terminal.
    private let table: FixTable?
    private var header: ScreenLine?

    /// - Parameter style: the style of the terminal; `nil` if the output is none.
    init(json: Bool, format: LocationFormatName?, longestGap: Double, style: ScreenStyle?) {
        self.json = json
        self.format = format?.makeFormat(longestGap: longestGap)
        table = style.map(FixTable.init)
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
            guard let location = update.location?.value, let text = format?.record(for: location) else { return }
            return Output.writeText(text)
        }
        if let status = update.status { noteReducedAccuracy(status) }
        // The status is for people, and not part of the data.
        if let status = update.status, status.source != .tracking || status.reason != nil {
            writeNote(Text.line(status))
        }
        if let dropped = update.dropped { writeNote("-- \(dropped) locations were dropped") }
        if let location = update.location { print(location.value) }
        if let heading = update.heading?.value { Output.write(line(heading)) }
        if let satellites = update.satellites { Output.write(line(satellites)) }
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

    private mutating func print(_ location: Location) {
        guard let table else { return Output.write(Text.line(location, isReduced: isReduced)) }
        let columns = Terminal.size.columns
        let header = table.header(columns: columns)
        // Written once, and again when the terminal's width has changed the columns.
        if header != self.header { Output.write(header) }
        self.header = header
        Output.write(table.row(location, columns: columns))
    }

    private func line(_ heading: Heading) -> String {
        let angles = [
            ("true", heading.trueHeading), ("magnetic", heading.magneticHeading), ("pitch", heading.pitch),
            ("roll", heading.roll),
        ]
        return "heading  "
            + angles.compactMap { name, angle in angle.map { "\(name) \(Text.number($0, 1))°" } }
            .joined(separator: "  ")
    }

    private func line(_ satellites: [Satellite]) -> String {
        let shown = satellites.map { satellite in
            let signal = satellite.signal.map { " \(Text.number($0, 0))" } ?? ""
            return "\(satellite.gnss) \(satellite.id)\(signal)\(satellite.used ? "*" : "")"
        }
        return "satellites  " + (shown.isEmpty ? "none in view" : shown.joined(separator: ", "))
    }
}

/// Fixes as rows of a table with fixed columns; columns of less importance are left out where there is no room.
struct FixTable {
    private struct Column: Sendable {
        let title: String
        let width: Int
        /// Columns with the highest rank are left out first.
        let rank: Int
        let value: @Sendable (Location) -> String?
    }

    let style: ScreenStyle

    func header(columns: Int) -> ScreenLine {
        row(columns, tone: .faint) { $0.title }
    }

    func row(_ location: Location, columns: Int) -> ScreenLine {
        var line = row(columns, tone: .plain) { $0.value(location) ?? "–" }
        line.add(marks(location), location.source.isMeasuredNow ? .plain : .warning)
        line.clip(to: columns)
        return line
    }

    private func row(_ columns: Int, tone: ScreenLine.Tone, _ text: (Column) -> String) -> ScreenLine {
        var line = ScreenLine(style)
        for (index, column) in fitting(columns).enumerated() {
            line.add(index == 0 ? "" : "  ")
            // As ASCII these two would not fit into their columns, and the titles imply them.
            let text = text(column).filter { !style.isASCII || !"±°".contains($0) }
            line.add(style.shown(text).paddedLeft(column.width), tone)
        }
        return line
    }

    private func fitting(_ columns: Int) -> [Column] {
        var left = columns - Self.marksWidth
        let chosen = Self.columns.sorted { $0.rank < $1.rank }.prefix { column in
            left -= column.width + 2
            return column.rank < 2 || left >= -2
        }
        return Self.columns.filter { column in chosen.contains { $0.rank == column.rank } }
    }

    /// The width reserved for the marks, which come last.
    private static let marksWidth = 7

    private static let columns = [
        Column(title: "TIME (UTC)", width: 10, rank: 3) {
            $0.timestamp.map { String($0.description.dropFirst(11).prefix(10)) }
        },
        Column(title: "LATITUDE", width: 10, rank: 0) { Text.number($0.coordinate.latitude, 6) },
        Column(title: "LONGITUDE", width: 11, rank: 1) { Text.number($0.coordinate.longitude, 6) },
        Column(title: "ACCURACY", width: 8, rank: 2) { $0.horizontalAccuracy.map { "±\(Text.distance($0))" } },
        Column(title: "ALT", width: 7, rank: 6) {
            ($0.altitude ?? $0.ellipsoidalAltitude).map { "\(Text.number($0, $0.magnitude < 1000 ? 1 : 0)) m" }
        },
        Column(title: "SPEED", width: 8, rank: 4) { $0.speed.map { "\(Text.number($0, 1)) m/s" } },
        Column(title: "COURSE", width: 6, rank: 5) { $0.course.map { "\(Text.number($0, 0))°" } },
    ]

    /// The kind of fix. That a location is not measured now, or not believed, comes first.
    private func marks(_ location: Location) -> String {
        let words = [
            location.implausibility.map { "implausible (\($0.rawValue))" },
            location.source.method == .fixedPosition ? "fixed" : nil, location.source.isSimulated ? "sim" : nil,
            location.source.isReplayed ? "replayed" : nil,
            location.mode == .threeDimensional ? "3D" : "2D", location.augmentation?.rawValue,
        ]
        return " " + words.compactMap(\.self).joined(separator: " ")
    }
}
