@_spi(Programs) import LocationKit

/// The fix as rows of a label and a value, the most important first. Every row is always shown, so that none moves.
struct MonitorFacts {
    private struct Fact {
        let label: String
        let value: String?
        var tone = ScreenLine.Tone.plain
    }

    static let labelColumns = 12

    let state: MonitorModel
    let style: ScreenStyle
    let now: BootInstant
    let clock: LocalTime

    var lines: [ScreenLine] {
        let isCurrent = state.isCurrent(at: now)
        return facts.map { fact in
            var line = ScreenLine(style)
            line.add(" \(fact.label)", .faint, columns: Self.labelColumns)
            let tone = fact.tone == .warning || isCurrent ? fact.tone : .faint
            line.add(fact.value ?? "–", fact.value == nil ? .faint : tone)
            return line
        }
    }

    private var facts: [Fact] {
        let location = state.fix?.value
        return [
            Fact(label: "Position", value: location.map { Text.coordinate($0.coordinate) }, tone: .strong),
            Fact(label: "Accuracy", value: location.flatMap(accuracy)),
            age,
            Fact(label: "Speed", value: location.flatMap(speed)),
            Fact(label: "Course", value: location.flatMap(course)),
            Fact(label: "Altitude", value: location.flatMap(altitude)),
            Fact(label: "Fix", value: location.map(quality)),
            Fact(label: "Satellites", value: satellites),
            time,
            Fact(label: "Climb", value: location?.climb.map { "\(Text.number($0, 1)) m/s" }),
            Fact(label: "Heading", value: heading),
            Fact(label: "Source", value: location.map { Text.source($0.source) }),
        ]
    }

    private var age: Fact {
        guard let fix = state.fix else { return Fact(label: "Age", value: nil) }
        let age = Text.wholeDuration(fix.age(at: now))
        let isCurrent = state.isCurrent(at: now)
        return Fact(label: "Age", value: isCurrent ? age : "\(age), not current", tone: isCurrent ? .plain : .warning)
    }

    private func accuracy(_ location: Location) -> String? {
        location.horizontalAccuracy.map {
            "±\(Text.distance($0))" + (state.status?.accuracy == .reduced ? ", reduced accuracy" : "")
        }
    }

    private func speed(_ location: Location) -> String? {
        location.speed.map {
            "\(Text.number($0, 1)) m/s, \(Text.number($0 * 3.6, 0)) km/h"
                + uncertainty(location.speedAccuracy, 1, " m/s")
        }
    }

    private func course(_ location: Location) -> String? {
        location.course.flatMap(direction).map { $0 + uncertainty(location.courseAccuracy, 0, "°") }
    }

    private func altitude(_ location: Location) -> String? {
        let (height, reference) =
            location.altitude.map { ($0, "above sea level") }
            ?? (location.ellipsoidalAltitude, "above the ellipsoid")
        return height.map {
            "\(Text.number($0, 1)) m\(uncertainty(location.verticalAccuracy, 1, " m")) \(reference)"
        }
    }

    private func uncertainty(_ value: Double?, _ places: Int, _ unit: String) -> String {
        value.map { " ±\(Text.number($0, places))\(unit)" } ?? ""
    }

    private func quality(_ location: Location) -> String {
        let dilutions = [("HDOP", location.hdop), ("VDOP", location.vdop)].compactMap { name, value in
            value.map { "\(name) \(Text.number($0, 1))" }
        }
        let mode = location.mode == .threeDimensional ? "3D" : "2D"
        return ([location.basis?.rawValue, mode, location.augmentation?.rawValue].compactMap(\.self) + dilutions)
            .joined(separator: ", ")
    }

    private var satellites: String? {
        let inView = state.sky?.value.count ?? state.status?.satellitesVisible
        let used = state.sky?.value.count(where: \.used) ?? state.status?.satellitesUsed
        guard let inView else { return used.map { "\($0) used" } }
        return "\(inView) in view" + (used.map { ", \($0) used" } ?? "")
    }

    private var time: Fact {
        guard let fix = state.fix else { return Fact(label: "Time", value: nil) }
        let words = MomentText.words(fix.value, age: fix.age(at: now), tenths: false, clock)
        return Fact(label: "Time", value: words, tone: fix.value.isTimestampImplausible ? .warning : .plain)
    }

    private var heading: String? {
        guard let heading = state.heading?.value else {
            return state.status?.headingAvailable == false ? "no compass" : nil
        }
        if let angle = heading.trueHeading.flatMap(direction) { return "\(angle) (true)" }
        return heading.magneticHeading.flatMap(direction).map { "\($0) (magnetic)" }
    }

    /// - Returns: `nil` for impossible values, which a foreign daemon may send.
    private func direction(_ degrees: Double) -> String? {
        guard (-360...360).contains(degrees) else { return nil }
        let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        let turned = degrees < 0 ? degrees + 360 : degrees
        let whole = turned.rounded() == 360 ? 0 : turned
        return "\(Text.number(whole, 0))° \(points[Int((whole / 45).rounded()) % 8])"
    }
}
