import Glibc
@_spi(Programs) import LocationKit

/// A map of the sky: north up, the zenith in the middle, the horizon around it.
struct SkyPlot {
    private struct Cell {
        var character: Character = " "
        var tone = ScreenLine.Tone.plain
        var isOccupied = false
    }

    private let style: ScreenStyle
    private let isCurrent: Bool
    private let columns: Int
    private let rows: Int
    private var cells: [Cell]

    /// - Parameters:
    ///   - isCurrent: if false all satellites are faint.
    ///   - columns: at least 15.
    ///   - rows: at least 7.
    init(_ satellites: [Satellite], style: ScreenStyle, isCurrent: Bool, columns: Int, rows: Int) {
        self.style = style
        self.isCurrent = isCurrent
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Cell(), count: columns * rows)
        drawFrame()
        // Used satellites are placed first, then those with the strongest signals; later ones may be left out.
        let order = satellites.sorted {
            $0.used != $1.used ? $0.used : ($0.signal ?? 0, $1.id) > ($1.signal ?? 0, $0.id)
        }
        for satellite in order { draw(satellite) }
    }

    var lines: [ScreenLine] {
        (0..<rows).map { row in
            var line = ScreenLine(style)
            for cell in cells[row * columns..<(row + 1) * columns] { line.add(String(cell.character), cell.tone) }
            return line
        }
    }

    private var middle: (x: Double, y: Double) { (Double(columns - 1) / 2, Double(rows - 1) / 2) }

    /// The radius of the horizon. A row is about as high as two columns are wide.
    private var radius: (x: Double, y: Double) {
        let height = min(middle.y, (middle.x - 2) / 2)
        return (2 * height, height)
    }

    /// - Parameters:
    ///   - azimuth: degrees clockwise from north.
    ///   - elevation: degrees; negative ones count as 0.
    private func place(azimuth: Double, elevation: Double) -> (x: Int, y: Int) {
        let distance = (90 - max(0, min(90, elevation))) / 90
        let angle = azimuth.truncatingRemainder(dividingBy: 360) * .pi / 180
        return (
            Int((middle.x + radius.x * distance * sin(angle)).rounded()),
            Int((middle.y - radius.y * distance * cos(angle)).rounded())
        )
    }

    private mutating func drawFrame() {
        let dot: Character = style.isASCII ? "." : "·"
        for (elevation, step) in [(45.0, 20.0), (0, 10)] {
            for azimuth in stride(from: 0, to: 360, by: step) {
                put(dot, .faint, at: place(azimuth: azimuth, elevation: elevation))
            }
        }
        put("+", .faint, at: place(azimuth: 0, elevation: 90))
        for (letter, azimuth): (Character, Double) in [("N", 0), ("E", 90), ("S", 180), ("W", 270)] {
            let spot = place(azimuth: azimuth, elevation: 0)
            put(letter, .plain, at: spot)
            reserve(spot, 1)
        }
    }

    private mutating func draw(_ satellite: Satellite) {
        guard let azimuth = satellite.azimuth, let elevation = satellite.elevation, azimuth.isFinite, elevation.isFinite
        else { return }
        let name = satellite.shortName
        let spot = place(azimuth: azimuth, elevation: elevation)
        // If the place is taken, a neighbouring one is used. A satellite without any free place is only in the table.
        for (x, y) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (2, 0), (-2, 0)] {
            let start = (x: max(0, min(columns - name.count, spot.x - name.count / 2 + x)), y: spot.y + y)
            guard (0..<rows).contains(start.y), isFree(start, name.count) else { continue }
            let tone: ScreenLine.Tone = isCurrent && satellite.used ? .good : isCurrent ? .plain : .faint
            for (offset, letter) in name.enumerated() { put(letter, tone, at: (start.x + offset, start.y)) }
            return reserve(start, name.count)
        }
    }

    private mutating func put(_ character: Character, _ tone: ScreenLine.Tone, at spot: (x: Int, y: Int)) {
        guard (0..<columns).contains(spot.x), (0..<rows).contains(spot.y) else { return }
        cells[spot.y * columns + spot.x].character = character
        cells[spot.y * columns + spot.x].tone = tone
    }

    /// Whether a name fits, with a space on either side.
    private func isFree(_ start: (x: Int, y: Int), _ count: Int) -> Bool {
        let range = max(0, start.x - 1)..<min(columns, start.x + count + 1)
        return !range.contains { cells[start.y * columns + $0].isOccupied }
    }

    private mutating func reserve(_ start: (x: Int, y: Int), _ count: Int) {
        for x in start.x..<min(columns, start.x + count) { cells[start.y * columns + x].isOccupied = true }
    }
}
