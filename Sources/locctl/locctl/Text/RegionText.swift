import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// Regions and their events for a person to read.
enum RegionText {
    /// One line for one report.
    static func line(_ report: RegionReportOnWire, _ clock: LocalTime = .machine) -> String {
        let location = report.location
        // A state that is not known is nothing that has happened, and has no time.
        guard report.event != nil || report.state != .unknown else { return "\(shown(report.identifier)): unknown yet" }
        // The time of the fix that decided, or if there is none that of the report.
        let time =
            location.map { MomentText.words($0.value, age: $0.age, clock) } ?? clock.words(clock.now, tenths: true)
        let happening = report.event.map(words) ?? "is \(words(report.state))"
        let parts: [String?] = [
            time, happening + String(repeating: " ", count: max(0, 10 - happening.count)),
            shown(report.identifier),
            location.map { Text.coordinate($0.value.coordinate) }, location.map { Text.accuracy($0.value) },
            location.map { "age \(Text.duration($0.age))" },
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// A name may contain control characters.
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

    /// The position of a region.
    static func place(_ region: Region) -> String {
        switch region.shape {
        case .circle(let circle): "\(Text.coordinate(circle.center)), \(Text.distance(circle.radius)) around"
        case .polygon(let polygon):
            "\(polygon.corners.count) corners" + (polygon.corners.first.map { " from \(Text.coordinate($0))" } ?? "")
        }
    }
}

/// Writes a monitor's replies for a person: the regions, and why their state is not known.
struct RegionPrinter {
    private var isDecided = false
    private var isReduced = false
    /// The last line about the service.
    private var lastNote: String?

    mutating func print(_ news: MonitorReply) {
        if let status = news.status { noteStatus(status) }
        guard let report = news.region else { return }
        if report.location != nil { isDecided = true }
        Output.write(RegionText.line(report))
    }

    private mutating func noteStatus(_ status: ServiceStatus) {
        if status.accuracy == .reduced, !isReduced {
            Output.write(
                "-- reduced accuracy: \(Text.reduction); the state of small regions stays unknown", to: STDERR_FILENO)
        }
        isReduced = status.accuracy == .reduced
        // The receiver is switched on and off depending on the distance to the border, which is not worth a line.
        let line = isReported(status) ? Text.line(status) : nil
        if let line, line != lastNote { Output.write(line, to: STDERR_FILENO) }
        if line != nil || status.source == .tracking { lastNote = line }
    }

    private func isReported(_ status: ServiceStatus) -> Bool {
        guard status.enabled, status.reason == nil else { return true }
        switch status.source {
        case .lost, .unavailable: return true
        case .searching: return !isDecided
        case .stopped, .starting, .tracking, .unknown: return false
        }
    }
}
