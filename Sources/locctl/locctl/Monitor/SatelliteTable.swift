@_spi(Programs) import LocationKit

/// The satellites in several columns, each with a bar for its signal.
struct SatelliteTable {
    private let satellites: [Satellite]
    private let style: ScreenStyle
    private let isCurrent: Bool
    private let columns: Int

    /// Sorts by system and number: signals change with every report, and entries that move cannot be read.
    init(_ satellites: [Satellite], style: ScreenStyle, isCurrent: Bool, columns: Int) {
        self.satellites = satellites.sorted { ($0.systemLetter, $0.id) < ($1.systemLetter, $1.id) }
        self.style = style
        self.isCurrent = isCurrent
        self.columns = columns
    }

    /// The rows for a detailed table, including its title.
    var wantedRows: Int { 1 + max(1, rowCount(isDetailed: true)) }

    /// The rows for all satellites without details, including the title.
    var leastRows: Int { 1 + max(1, rowCount(isDetailed: false)) }

    /// - Parameter rows: the rows available, including the title; at least 2.
    func lines(rows: Int) -> [ScreenLine] {
        guard !satellites.isEmpty else { return [title(nil), note("none known")] }
        let isDetailed = rowCount(isDetailed: true) < rows
        let perRow = entriesPerRow(isDetailed: isDetailed)
        let places = (rows - 1) * perRow
        var shown = satellites
        if satellites.count > places {
            // Used satellites have precedence; the last entry says how many are left out.
            let used = satellites.filter(\.used) + satellites.filter { !$0.used }
            let kept = Set(used.prefix(max(0, places - 1)))
            shown = satellites.filter(kept.contains)
        }
        let leftOut = satellites.count - shown.count
        let rowCount = min(rows - 1, (shown.count + (leftOut > 0 ? 1 : 0) + perRow - 1) / perRow)
        return [title(isDetailed ? "dB-Hz, elevation, azimuth" : "dB-Hz")]
            + (0..<rowCount).map { row in
                var line = ScreenLine(style)
                // Filled column by column.
                for index in stride(from: row, to: rowCount * perRow, by: rowCount) {
                    if index < shown.count {
                        line.add(entry(shown[index], isDetailed: isDetailed))
                    } else if index == shown.count, leftOut > 0 {
                        line.add(" and \(leftOut) more", .faint)
                    }
                }
                return line
            }
    }

    private func rowCount(isDetailed: Bool) -> Int {
        let perRow = entriesPerRow(isDetailed: isDetailed)
        return (satellites.count + perRow - 1) / perRow
    }

    private func entriesPerRow(isDetailed: Bool) -> Int {
        max(1, columns / (isDetailed ? Self.detailedColumns : Self.columns))
    }

    private static let columns = 16
    private static let detailedColumns = 30

    private func entry(_ satellite: Satellite, isDetailed: Bool) -> ScreenLine {
        let tone: ScreenLine.Tone = !isCurrent ? .faint : satellite.used ? .good : .plain
        let barColumns = isDetailed ? 9 : 6
        var line = ScreenLine(style)
        line.add(" \(satellite.shortName)", tone, columns: isDetailed ? 6 : 5)
        // From 10 dB-Hz, no signal, to 50 dB-Hz, a strong signal under an open sky.
        let signal = satellite.signal.flatMap { $0.isFinite ? $0 : nil }
        line.add(
            signal.map { style.bar(($0 - 10) / 40, columns: barColumns) } ?? "", tone == .good ? .good : .faint,
            columns: barColumns)
        line.add(
            (signal.map { Text.number($0, 0) } ?? "–").paddedLeft(isDetailed ? 4 : 3), tone == .good ? .plain : tone)
        if isDetailed {
            line.add(angle(satellite.elevation).paddedLeft(4) + angle(satellite.azimuth).paddedLeft(4), .faint)
        }
        line.pad(to: isDetailed ? Self.detailedColumns : Self.columns)
        return line
    }

    private func angle(_ degrees: Double?) -> String {
        degrees.map { Text.number($0, 0) } ?? "–"
    }

    /// - Parameter numbers: the meaning of the numbers in an entry.
    private func title(_ numbers: String?) -> ScreenLine {
        var systems: [String] = []
        for satellite in satellites {
            let name = "\(satellite.systemLetter) \(satellite.gnss)"
            if !systems.contains(name) { systems.append(name) }
        }
        let notes = [systems.joined(separator: ", "), "lower case: not used", numbers].compactMap(\.self)
        return ScreenLine.title("Satellites", numbers == nil ? "" : notes.joined(separator: "; "), style, columns)
    }

    private func note(_ text: String) -> ScreenLine {
        var line = ScreenLine(style)
        line.add(" \(text)", .faint)
        return line
    }
}

extension ScreenLine {
    /// A horizontal rule with a title.
    static func title(_ name: String, _ note: String, _ style: ScreenStyle, _ columns: Int) -> ScreenLine {
        var line = ScreenLine(style)
        line.add("── ", .faint)
        line.add(name, .strong)
        line.add(" \(note.isEmpty ? "" : note + " ")", .faint)
        line.add(String(repeating: "─", count: max(0, columns - line.width)), .faint)
        line.clip(to: columns)
        return line
    }
}

extension Satellite {
    /// The letter of its system in RINEX 3; `X` for systems without one.
    var systemLetter: String {
        switch gnss {
        case "GPS": "G"
        case "GLONASS": "R"
        case "Galileo": "E"
        case "BeiDou": "C"
        case "QZSS": "J"
        case "NavIC": "I"
        case "SBAS": "S"
        default: "X"
        }
    }

    /// For example `G12`; in lower case if it is not used in the fix, so that the difference is visible without
    /// colours.
    var shortName: String {
        (used ? systemLetter : systemLetter.lowercased()) + "\(id)"
    }
}
