import LocationFormats
import LocationKit

/// How numbers and locations read to a person.
enum Text {
    static func number(_ value: Double, _ places: Int) -> String {
        value.fixedDecimal(places: places) ?? "\(value)"
    }

    static func coordinate(_ coordinate: Coordinate) -> String {
        "\(number(coordinate.latitude, 6)), \(number(coordinate.longitude, 6))"
    }

    /// Seconds in the unit a person would choose.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<10: "\(number(seconds, 1)) s"
        case ..<120: "\(number(seconds, 0)) s"
        case ..<7200: "\(number(seconds / 60, 0)) min"
        case ..<172_800: "\(number(seconds / 3600, 0)) h"
        default: "\(number(seconds / 86_400, 0)) days"
        }
    }

    static func quality(_ location: Location) -> String {
        var words = [location.mode == .threeDimensional ? "3D" : "2D"]
        if let augmentation = location.augmentation { words.append(augmentation.rawValue) }
        if let used = location.satellitesUsed { words.append("\(used) satellites") }
        if location.source.isSimulated { words.append("simulated") }
        if location.source.isReplayed { words.append("replayed") }
        return words.joined(separator: ", ")
    }

    static func accuracy(_ location: Location) -> String {
        location.horizontalAccuracy.map { "±\(number($0, $0 < 10 ? 1 : 0)) m" } ?? "accuracy unknown"
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

    /// One line for one fix.
    static func line(_ location: Location) -> String {
        let time = location.timestamp.map { $0.description.dropFirst(11).prefix(10) } ?? "--:--:--.-"
        let parts = [
            "\(time)", coordinate(location.coordinate), accuracy(location), altitude(location), motion(location),
            "(\(quality(location)))",
        ]
        return parts.compactMap { $0 }.joined(separator: "  ")
    }

    /// One line for one state.
    static func line(_ status: ServiceStatus) -> String {
        let state =
            switch status.source {
            case .stopped: status.enabled ? "idle" : "switched off"
            case .starting: "connecting to the receivers"
            case .searching: "searching for a fix"
            case .tracking: "tracking"
            case .lost: "the fix is lost"
            case .unavailable: "no receiver can be reached"
            case .unknown: "in a state this version does not know"
            }
        return "-- \(state)" + (status.reason.map { ": \($0)" } ?? "")
    }
}
