import FoundationEssentials
import Glibc
@_spi(Programs) import LocationModel
import TrackHistory

/// What the track's file costs: rows a second, a year's size, and how long a day of it takes to read.
///
/// Exits with 1 if fewer than 10,000 rows a second are inserted by hundreds, or a day of a year takes more than 100 ms.
enum HistoryBenchmark {
    private static let (rowsGoal, dayGoal) = (10_000.0, 0.1)
    private static let begin = UTCTime(seconds: 1_780_000_000)
    private static let (day, driving) = (86_400, 7200)

    static func run() async throws {
        guard let start = Coordinate(latitude: 52.5, longitude: 13.4) else { exit(1) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "history-\(getpid())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var rate = 0.0
        for (count, transactions) in [(1, 3000), (10, 3000), (100, 1000)] {
            rate = try await insert(count, transactions, from: start, at: folder + "/rows-\(count)")
            print("\(count) in each transaction: \(Int(rate)) rows/s")
        }
        let longest = try await readYear(from: start, at: folder + "/year")
        guard rate >= rowsGoal, longest <= dayGoal else { exit(1) }
    }

    /// - Returns: rows a second, each transaction on the disk when it returns.
    private static func insert(_ count: Int, _ transactions: Int, from start: Coordinate, at path: String) async throws
        -> Double
    {
        let file = try TrackFile(at: path)
        var vehicle = Vehicle(at: start)
        let rows = (0..<count * transactions).map { _ in TrackChange.add(TrackPoint(vehicle.move(), at: begin)) }
        let duration = try await ContinuousClock().measure {
            for start in stride(from: 0, to: rows.count, by: count) {
                try await file.write(Array(rows[start..<start + count]), visit: nil)
            }
        }
        return Double(rows.count) / duration.seconds
    }

    /// Two hours of driving on each day of a year, at one location a second, and the rest at one place.
    /// - Returns: the longest time that a day took, seconds.
    private static func readYear(from start: Coordinate, at path: String) async throws -> Double {
        let file = try TrackFile(at: path)
        var recorder = TrackRecorder(.init())
        var vehicle = Vehicle(at: start)
        var fixes = 0
        let writing = try await ContinuousClock().measure {
            for number in 0..<365 {
                var changes: [TrackChange] = []
                vehicle.second = Double(number * day)
                for second in 0..<driving + 900 {
                    let location = second < driving ? vehicle.move() : vehicle.stay()
                    changes += recorder.add(location, at: begin)
                    fixes += 1
                }
                for _ in stride(from: driving + 900, to: day, by: 300) {
                    vehicle.second += 299
                    changes += recorder.add(vehicle.stay(), at: begin)
                    fixes += 1
                }
                try await file.write(changes, visit: recorder.visitMemory)
            }
        }
        var status = stat()
        stat(path, &status)
        print(
            "a year: \(fixes) locations, \(status.st_size / 1_048_576) MiB, \(Int(Double(fixes) / writing.seconds)) locations/s,"
                + " \(try file.reader.trips().count) trips")
        var durations: [Double] = []
        for number in stride(from: 3, to: 365, by: 12) {
            var selection = TrackReader.Selection()
            selection.from = begin.advanced(bySeconds: Double(number * day))
            selection.to = begin.advanced(bySeconds: Double((number + 1) * day))
            var points = 0
            let duration = try ContinuousClock().measure {
                points = try file.reader.points(selection, limit: 100_000).points.count
            }
            durations.append(duration.seconds)
            if number == 3 { print("its day has \(points) points") }
        }
        durations.sort()
        let (median, longest) = (durations[durations.count / 2], durations.last ?? 0)
        print("a day of the year: \(milliseconds(median)) ms, \(milliseconds(longest)) ms at most")
        return longest
    }

    private static func milliseconds(_ seconds: Double) -> String { "\((seconds * 10_000).rounded() / 10)" }
}

/// A vehicle in a city: it drives at 50 km/h with a receiver's noise, and turns each half minute.
private struct Vehicle {
    var second = 0.0
    private var coordinate: Coordinate
    private var bearing = 0.0
    private var generator = SystemRandomNumberGenerator()

    init(at start: Coordinate) { coordinate = start }

    mutating func move() -> Location {
        if Int(second) % 30 == 0 { bearing = .random(in: 0..<360, using: &generator) }
        coordinate = coordinate.coordinate(atDistance: 13.9, bearing: bearing)
        return report(speed: 13.9)
    }

    mutating func stay() -> Location { report(speed: 0) }

    private mutating func report(speed: Double) -> Location {
        second += 1
        let error = Double.random(in: 0...1.5, using: &generator)
        let place = coordinate.coordinate(atDistance: error, bearing: .random(in: 0..<360, using: &generator))
        var location = Location(
            coordinate: place, mode: .threeDimensional,
            monotonicTime: BootInstant(seconds: 1000 + second), source: SourceInformation(name: "gpsd"))
        (location.speed, location.course, location.horizontalAccuracy) = (speed, bearing, 3)
        (location.altitude, location.verticalAccuracy, location.satellitesUsed) = (40, 6, 12)
        location.timestamp = UTCTime(seconds: 1_780_000_000).advanced(bySeconds: second)
        return location
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
