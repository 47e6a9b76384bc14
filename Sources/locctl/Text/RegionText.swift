import LocationInterface
import LocationKit

/// How regions and what happens at their borders read to a person.
enum RegionText {
    /// One line for one report.
    static func line(_ report: RegionReportOnWire) -> String {
        let location = report.location
        let time = location?.value.timestamp.map { $0.description.dropFirst(11).prefix(10) } ?? "--:--:--.-"
        let happening = report.event.map(words) ?? "is \(words(report.state))"
        let parts: [String?] = [
            "\(time)", happening + String(repeating: " ", count: max(0, 10 - happening.count)),
            shown(report.identifier),
            location.map { Text.coordinate($0.value.coordinate) }, location.map { Text.accuracy($0.value) },
            location.map { "age \(Text.duration($0.age))" },
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// A name may hold what would steer the terminal.
    static func shown(_ name: String) -> String { ScreenStyle.plain.shown(name) }

    static func words(_ event: RegionEvent) -> String {
        switch event {
        case .entered: "entered"
        case .exited: "left"
        case .dwelled: "stayed"
        case .unknown: "changed"
        }
    }

    static func words(_ state: RegionState) -> String {
        switch state {
        case .inside: "inside"
        case .outside: "outside"
        case .unknown: "unknown"
        }
    }

    /// Where a region is.
    static func place(_ region: Region) -> String {
        switch region.shape {
        case .circle(let circle): "\(Text.coordinate(circle.center)), \(Text.distance(circle.radius)) around"
        case .polygon(let polygon):
            "\(polygon.corners.count) corners" + (polygon.corners.first.map { " from \(Text.coordinate($0))" } ?? "")
        }
    }
}
