import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport

/// A location that a program has received, as its script prints it: one JSON object a line, in the units of GeoClue.
/// What is unknown is left out, or null.
struct ReportedLocation: Decodable {
    let latitude: Double
    let longitude: Double
    let accuracy: Double
    let altitude: Double?
    let speed: Double?
    let heading: Double?
    /// Since the epoch; left out by a program that has no time of the measurement.
    let milliseconds: Int64?

    /// What GeoClue's interface has in place of an unknown accuracy.
    private static let worstAccuracy = 20_037_508.0

    /// The locations a program has printed, in order; other lines are passed over.
    static func all(in process: LoggedProcess) throws -> [Self] {
        // The last line may not have been written to its end.
        try process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .filter { $0.hasPrefix("{\"latitude\"") }
            .map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }

    /// Waits until a program has received locations of known accuracy at so many places, and compares each one that it
    /// has received with the daemon's.
    static func expectSame(
        in process: LoggedProcess, as watch: Watcher, places: Int = 5, details: () -> String = { "" }
    ) throws {
        let reported = try waitUntil(
            "locations of \(places) places come", details: { process.output + process.errors + details() }
        ) {
            if let code = process.exitCode { throw Failure("it ended with \(code): \(process.errors)") }
            let reported = try all(in: process)
            let accurate = reported.filter { $0.accuracy < worstAccuracy }
            return Set(accurate.map(\.latitude)).count >= places ? reported : nil
        }
        for location in reported {
            try watch.wait("the daemon has the program's \(location)") {
                $0.location.map { location.isSame(as: $0.value) } ?? false
            }
        }
    }

    /// Whether everything that the program knows is what the daemon has said.
    private func isSame(as location: Location) -> Bool {
        guard abs(latitude - location.coordinate.latitude) < 1e-9,
            abs(longitude - location.coordinate.longitude) < 1e-9,
            isSame(accuracy, location.horizontalAccuracy ?? Self.worstAccuracy),
            isSame(altitude, location.altitude), isSame(speed, location.speed), isSame(heading, location.course)
        else { return false }
        guard let milliseconds else { return true }
        guard let time = location.timestamp else { return false }
        return milliseconds == time.seconds * 1000 + Int64(time.nanoseconds / 1_000_000)
    }

    private func isSame(_ one: Double?, _ other: Double?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) < 1e-6
    }
}
