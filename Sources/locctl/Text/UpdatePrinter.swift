import Glibc
import LocationFormats
import LocationInterface
import LocationKit

/// Writes a watch's replies for a person, as JSON, or in another program's format.
struct UpdatePrinter {
    private let json: Bool
    private var format: (any LocationFormat)?
    private var isReduced = false
    /// On a terminal, what rows look like there.
    private let table: FixTable?
    private var header: ScreenLine?

    /// - Parameter style: that of the terminal which is written to; `nil` if it is none.
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
        if let status = update.status { note(status) }
        // What happens between fixes is for the person's eyes and not part of the data.
        if let status = update.status, status.source != .tracking || status.reason != nil {
            tell(Text.line(status))
        }
        if let dropped = update.dropped { tell("-- \(dropped) locations were lost") }
        if let location = update.location { print(location.value) }
        if let heading = update.heading?.value { Output.write(line(heading)) }
        if let satellites = update.satellites { Output.write(line(satellites)) }
    }

    /// Who waits for locations learns why they are few.
    private mutating func note(_ status: ServiceStatus) {
        let wasReduced = isReduced
        isReduced = status.accuracy == .reduced
        guard isReduced, !wasReduced else { return }
        tell("-- reduced accuracy: \(Text.reduction)")
    }

    private func tell(_ text: String) {
        var line = ScreenLine(isatty(STDERR_FILENO) == 1 ? table?.style ?? .plain : .plain)
        line.add(text, .warning)
        Output.write(line, to: STDERR_FILENO)
    }

    private mutating func print(_ location: Location) {
        guard let table else { return Output.write(Text.line(location, isReduced: isReduced)) }
        let columns = Terminal.size.columns
        let header = table.header(columns: columns)
        // Once, and once more where the terminal has become so wide or narrow that there are other columns.
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
