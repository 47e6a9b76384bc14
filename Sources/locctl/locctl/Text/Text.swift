import LocationFormats
@_spi(Programs) import LocationKit

/// Numbers and locations for a person to read.
enum Text {
    static func number(_ value: Double, _ places: Int) -> String {
        value.fixedDecimal(places: places) ?? "\(value)"
    }

    static func coordinate(_ coordinate: Coordinate) -> String {
        "\(number(coordinate.latitude, 6)), \(number(coordinate.longitude, 6))"
    }

    /// Seconds in a suitable unit.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<10: "\(number(seconds, 1)) s"
        case ..<120: "\(number(seconds, 0)) s"
        case ..<7200: "\(number(seconds / 60, 0)) min"
        case ..<172_800: "\(number(seconds / 3600, 0)) h"
        default: "\(number(seconds / 86_400, 0)) days"
        }
    }

    /// The same for a counting display: whole seconds, rounded down.
    static func wholeDuration(_ seconds: Double) -> String {
        seconds < 120 ? "\(number(seconds.rounded(.down), 0)) s" : duration(seconds)
    }

    /// A time to the second, local.
    static func time(_ time: UTCTime) -> String {
        LocalTime.machine.words(time)
    }

    static func quality(_ location: Location) -> String {
        var words = [location.basis?.rawValue, location.mode == .threeDimensional ? "3D" : "2D"].compactMap(\.self)
        if let augmentation = location.augmentation { words.append(augmentation.rawValue) }
        if let used = location.satellitesUsed { words.append("\(used) satellites") }
        words += location.source.marks.map { $0.hasSuffix("position") ? $0 + ", not measured" : $0 }
        return words.joined(separator: ", ")
    }

    /// - Parameter isReduced: whether the caller's accuracy is reduced, so that the location is on the coarse grid.
    static func accuracy(_ location: Location, isReduced: Bool = false) -> String {
        (location.horizontalAccuracy.map { "±\(distance($0))" } ?? "accuracy unknown")
            + (isReduced ? ", reduced accuracy" : "")
    }

    /// What reduced accuracy means.
    static let reduction = "locations on a coarse grid, at most one in ten minutes"

    /// What a term of full accuracy costs beyond its time, for who grants it.
    static let costOfFullAccuracy =
        "whoever knew precisely where the machine was can work out its secret displacement from reduced locations of the same "
        + "places, and from then on reduced accuracy hides no more than where in a cell of the grid the machine is"

    /// Metres in a suitable unit.
    static func distance(_ metres: Double) -> String {
        switch metres {
        case ..<10: "\(number(metres, 1)) m"
        case ..<1000: "\(number(metres, 0)) m"
        case ..<10_000: "\(number(metres / 1000, 1)) km"
        default: "\(number(metres / 1000, 0)) km"
        }
    }

    static func motion(_ location: Location) -> String? {
        guard let speed = location.speed else { return nil }
        let course = location.course.map { ", course \(number($0, 0))°" } ?? ""
        return "\(number(speed, 1)) m/s (\(number(speed * 3.6, 0)) km/h)\(course)"
    }

    static func altitude(_ location: Location) -> String? {
        if let altitude = location.altitude { return "\(number(altitude, 1)) m above sea level" }
        return location.ellipsoidalAltitude.map { "\(number($0, 1)) m above the ellipsoid" }
    }

    /// One line for one fix. What is not believed says so before its coordinates.
    ///
    /// - Parameters:
    ///   - age: seconds since its arrival; `nil` if that is not known.
    ///   - namesSource: whether the source is named, because there may be fixes of several.
    static func line(
        _ location: Location, age: Double? = nil, isReduced: Bool = false, namesSource: Bool = false,
        _ clock: LocalTime = .machine
    ) -> String {
        let parts: [String?] = [
            MomentText.words(location, age: age, implausible: "implausible time", clock),
            namesSource ? source(location.source) : nil,
            location.implausibility.map { "(implausible: \(words($0)))" },
            coordinate(location.coordinate), accuracy(location, isReduced: isReduced), altitude(location),
            motion(location), "(\(quality(location)))",
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// A source, with the receiver's device if there is one.
    static func source(_ source: SourceInformation) -> String {
        source.name + (source.device.map { " (\($0))" } ?? "")
    }

    /// Why a location is not believed.
    static func words(_ implausibility: Implausibility) -> String {
        switch implausibility {
        case .nullIsland: "latitude 0, longitude 0 without moving"
        case .jump: "too far from the fix before"
        case .timeRunsBack: "its time is before that of the fix before"
        case .unknown: "for a reason that is unknown to this version"
        }
    }

    /// One line for one state.
    static func line(_ status: ServiceStatus) -> String {
        "-- \(headline(status))" + (status.reason.map { ": \($0)" } ?? "")
    }

    /// One state in a few words.
    static func headline(_ status: ServiceStatus) -> String {
        // With these only the reason says whether the session, the next location of the grid or the fix is missing.
        let isConditional = status.authorization == .authorizedWhenInUse || status.accuracy == .reduced
        let isAway = isConditional && status.mayKnow && status.enabled && status.reason != nil
        return isAway ? "no location now" : status.words
    }
}

/// A table whose columns are as wide as their longest entry.
struct Table {
    private var rows: [[String]]

    init(_ header: [String]) {
        rows = [header]
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
