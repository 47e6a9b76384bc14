import FoundationEssentials
import Glibc
@_spi(Programs) import LocationModel

/// A fix for each second.
struct Drive {
    var name: String
    private(set) var fixes: [Location] = []

    /// A recorded drive: comma-separated values with `latitude` and `longitude` among the words of the first line, and a
    /// line for each second.
    init(path: String) throws {
        name = path.split(separator: "/").last.map(String.init) ?? path
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
        let head = lines.first?.split(separator: ",") ?? []
        guard let latitude = head.firstIndex(of: "latitude"), let longitude = head.firstIndex(of: "longitude")
        else { throw DriveError(path: path, reason: "its first line names no latitude and longitude") }
        for line in lines.dropFirst() {
            let words = line.split(separator: ",", omittingEmptySubsequences: false)
            guard words.count == head.count, let north = Double(words[latitude]), let east = Double(words[longitude]),
                let place = Coordinate(latitude: north, longitude: east)
            else { throw DriveError(path: path, reason: "this is no position: \(line)") }
            let speed = fixes.last.map { $0.coordinate.distance(to: place) } ?? 0
            add(place, speed: speed)
        }
        guard !fixes.isEmpty else { throw DriveError(path: path, reason: "it has no positions") }
    }

    /// The same after a stay and before another, of so many seconds each, with a receiver's noise.
    func betweenStays(of seconds: Int) -> Drive {
        var day = self
        day.fixes = []
        day.name += " between two stays of \(seconds) s"
        var generator = SystemRandomNumberGenerator()
        func noisy(_ place: Coordinate) -> Coordinate {
            let distance = 2 * (-2 * log(Double.random(in: 1e-9...1, using: &generator))).squareRoot()
            return place.coordinate(atDistance: distance, bearing: .random(in: 0..<360, using: &generator))
        }
        guard let first = fixes.first?.coordinate, let last = fixes.last?.coordinate else { return self }
        for _ in 0..<seconds { day.add(noisy(first), speed: .random(in: 0...0.3, using: &generator)) }
        for fix in fixes { day.add(fix.coordinate, speed: fix.speed ?? 0) }
        for _ in 0..<seconds { day.add(noisy(last), speed: .random(in: 0...0.3, using: &generator)) }
        return day
    }

    private mutating func add(_ place: Coordinate, speed: Double) {
        var fix = Location(coordinate: place, monotonicTime: .at(fixes.count), source: .init(name: "model"))
        fix.horizontalAccuracy = 5
        fix.speed = speed
        fix.timestamp = UTCTime(seconds: 1_772_366_400 + Int64(fixes.count))
        fixes.append(fix)
    }
}

/// A file that is no drive.
struct DriveError: Error, CustomStringConvertible {
    let path: String
    let reason: String
    var description: String { "\(path): \(reason)" }
}

extension BootInstant {
    /// So many seconds after the drive's begin.
    static func at(_ second: Int) -> BootInstant { BootInstant(seconds: Double(1000 + second)) }
}
