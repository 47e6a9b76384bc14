import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import SimulatedSource

/// A drive with a fix each second, as a recording that the daemon plays.
struct RecordedDrive {
    private(set) var fixes: [Location] = []

    /// The built-in simulator's drive.
    init(simulatedSeconds seconds: Int) {
        guard let start = Coordinate(latitude: 52.52, longitude: 13.405) else { return }
        let drive = SimulatedDrive(start: start)
        for second in 0..<seconds {
            add(
                drive.location(at: Double(second), monotonicTime: Self.moment(second), source: .init(name: "recording"))
            )
        }
    }

    /// A real drive: comma-separated values, of which the first line names `latitude` and `longitude`, a line each
    /// second.
    init(table path: String) throws {
        let lines = text(of: path).split(whereSeparator: \.isNewline)
        let head = lines.first?.split(separator: ",") ?? []
        guard let latitude = head.firstIndex(of: "latitude"), let longitude = head.firstIndex(of: "longitude") else {
            throw Failure("the first line of \(path) names no latitude and longitude")
        }
        for line in lines.dropFirst() {
            let words = line.split(separator: ",", omittingEmptySubsequences: false)
            guard words.count == head.count, let north = Double(words[latitude]), let east = Double(words[longitude]),
                let place = Coordinate(latitude: north, longitude: east)
            else { throw Failure("\(path): this is no position: \(line)") }
            var fix = Location(
                coordinate: place, monotonicTime: Self.moment(fixes.count), source: .init(name: "recording"))
            fix.horizontalAccuracy = 5
            fix.speed = fixes.last.map { $0.coordinate.distance(to: place) } ?? 0
            add(fix)
        }
    }

    private mutating func add(_ location: Location) {
        var fix = location
        fix.timestamp = UTCTime(seconds: 1_772_366_400 + Int64(fixes.count))
        fixes.append(fix)
    }

    private static func moment(_ second: Int) -> BootInstant { BootInstant(seconds: Double(1000 + second)) }

    func writeRecording(to path: String) throws {
        let writer = RecordingWriter()
        var bytes = writer.header(created: UTCTime(seconds: 1_772_366_400))
        for (second, fix) in fixes.enumerated() {
            bytes += try writer.line(for: RecordingEntry(at: Double(second), .location(fix)))
        }
        try Data(bytes).write(to: URL(filePath: path))
    }
}
