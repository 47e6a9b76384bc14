@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

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
    /// Whether a column names the source, because there are fixes of several.
    var namesSource = false
    /// The day of the rows above, local; today at first.
    private var day: String?
    /// The marks at times that were explained.
    private var explained: Set<TimeMark> = []

    /// What has to be known of a time.
    private enum TimeMark: String {
        case arrival = "*"
        case implausible = "?"

        init?(_ location: Location) {
            if location.timestamp == nil {
                self = .arrival
            } else if location.isTimestampImplausible {
                self = .implausible
            } else {
                return nil
            }
        }

        var explanation: String {
            switch self {
            case .arrival: "-- the receiver gives no time: times with \(rawValue) are those of arrival"
            case .implausible: "-- times with \(rawValue) are implausible: far from the machine's clock"
            }
        }
    }

    init(style: ScreenStyle, namesSource: Bool = false) {
        self.style = style
        self.namesSource = namesSource
    }

    func header(columns: Int) -> ScreenLine {
        row(columns, tone: .faint) { $0.title }
    }

    /// The row of a fix, below what has to be said before it: the day, where that is another than above.
    mutating func lines(_ location: Aged<Location>, columns: Int, _ clock: LocalTime) -> [ScreenLine] {
        let moment = MomentText(location.value.timestamp, age: location.age, clock)
        var lines: [ScreenLine] = []
        if let day = moment.map({ clock.day(of: $0.moment) }), day != self.day ?? clock.today {
            lines.append(remark("-- \(day)", columns))
            self.day = day
        }
        if let mark = TimeMark(location.value), explained.insert(mark).inserted {
            lines.append(remark(mark.explanation, columns))
        }
        return lines + [row(location, columns: columns, clock)]
    }

    private func remark(_ text: String, _ columns: Int) -> ScreenLine {
        var line = ScreenLine(style)
        line.add(text, .faint)
        line.clip(to: columns)
        return line
    }

    func row(_ location: Aged<Location>, columns: Int, _ clock: LocalTime) -> ScreenLine {
        let time = time(location, clock)
        let fix = location.value
        if let implausibility = fix.implausibility { return doubted(fix, implausibility, time, columns) }
        var line = row(columns, tone: .plain) { column in
            (column.title == Self.timeTitle ? time : column.value(fix)) ?? "–"
        }
        line.add(marks(fix), fix.source.isMeasuredNow && !fix.isTimestampImplausible ? .plain : .warning)
        line.clip(to: columns)
        return line
    }

    /// A location that is not believed is no row among those that are: its coordinates stand behind the reason, and
    /// where there is no room it is they that are left out.
    private func doubted(
        _ location: Location, _ implausibility: Implausibility, _ time: String?, _ columns: Int
    ) -> ScreenLine {
        var line = ScreenLine(style)
        let source = namesSource ? "  \(location.source.name)" : ""
        line.add(style.shown("\(time ?? "–")\(source)  (implausible: \(Text.words(implausibility)))"), .warning)
        line.add("  \(Text.coordinate(location.coordinate))", .faint)
        line.clip(to: columns)
        return line
    }

    private func time(_ location: Aged<Location>, _ clock: LocalTime) -> String? {
        MomentText(location.value.timestamp, age: location.age, clock).map {
            let time = clock.timeOfDay($0.moment)
            return TimeMark(location.value).map { time.prefix(8) + $0.rawValue + " " } ?? time
        }
    }

    private func row(_ columns: Int, tone: ScreenLine.Tone, _ text: (Column) -> String) -> ScreenLine {
        var line = ScreenLine(style)
        for (index, column) in fitting(columns).enumerated() {
            line.add(index == 0 ? "" : "  ")
            // As ASCII these two would not fit into their columns, and the titles imply them.
            let text = style.shown(text(column).filter { !style.isASCII || !"±°".contains($0) })
            let isName = column.title == Self.sourceTitle
            line.add(isName ? Self.cut(text, to: column.width) : text.paddedLeft(column.width), tone)
        }
        return line
    }

    /// A name from the left; one that is too long is cut at its end.
    private static func cut(_ text: String, to width: Int) -> String {
        var shown = ""
        for character in text where shown.columns + String(character).columns <= width { shown.append(character) }
        return shown + String(repeating: " ", count: max(0, width - shown.columns))
    }

    private func fitting(_ columns: Int) -> [Column] {
        let all = Self.columns.filter { namesSource || $0.title != Self.sourceTitle }
        var left = columns - Self.marksWidth
        let chosen = all.sorted { $0.rank < $1.rank }.prefix { column in
            left -= column.width + 2
            return column.rank < 2 || left >= -2
        }
        return all.filter { column in chosen.contains { $0.rank == column.rank } }
    }

    /// The width reserved for the marks, which come last.
    private static let marksWidth = 7
    private static let (timeTitle, sourceTitle) = ("TIME", "SOURCE")

    private static let columns = [
        // The time is the clock's to format.
        Column(title: timeTitle, width: 10, rank: 4) { _ in nil },
        Column(title: sourceTitle, width: 10, rank: 2) { $0.source.name },
        Column(title: "LATITUDE", width: 10, rank: 0) { Text.number($0.coordinate.latitude, 6) },
        Column(title: "LONGITUDE", width: 11, rank: 1) { Text.number($0.coordinate.longitude, 6) },
        Column(title: "ACCURACY", width: 8, rank: 3) { $0.horizontalAccuracy.map { "±\(Text.distance($0))" } },
        Column(title: "ALT", width: 7, rank: 7) {
            ($0.altitude ?? $0.ellipsoidalAltitude).map { "\(Text.number($0, $0.magnitude < 1000 ? 1 : 0)) m" }
        },
        Column(title: "SPEED", width: 8, rank: 5) { $0.speed.map { "\(Text.number($0, 1)) m/s" } },
        Column(title: "COURSE", width: 6, rank: 6) { $0.course.map { "\(Text.number($0, 0))°" } },
    ]

    /// The kind of fix. That a location is not measured now comes first.
    private func marks(_ location: Location) -> String {
        let words = [
            location.source.method == .fixedPosition ? "fixed" : nil,
            location.source.method == .network ? "network" : nil, location.source.isSimulated ? "sim" : nil,
            location.source.isReplayed ? "replayed" : nil, location.basis?.rawValue,
            location.mode == .threeDimensional ? "3D" : "2D", location.augmentation?.rawValue,
        ]
        return " " + words.compactMap(\.self).joined(separator: " ")
    }
}
