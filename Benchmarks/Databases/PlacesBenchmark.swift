import GRDB
import Glibc
@_spi(Programs) import LocationModel
import Places

/// Hides places from the database one at a time and asks what is at their position: whether country, time zone and
/// administrative area are theirs, and how long the answer takes. Exits with 1 below what is required.
enum PlacesBenchmark {
    static func run(_ path: String) async throws {
        let clock = ContinuousClock()
        var places: OfflinePlaces?
        let opening = try clock.measure { places = try OfflinePlaces(path: path) }
        guard let places else { exit(2) }
        var (countries, zones, areas, named) = (0, 0, 0, 0)
        var times: [Duration] = []
        let held = try heldOut(20_000, of: path)
        for place in held {
            let began = clock.now
            let answer = try await places.placemarks(at: place.coordinate, locale: "de", without: place.id)[0]
            times.append(clock.now - began)
            countries += answer.countryCode == place.country ? 1 : 0
            zones += answer.timeZone == place.timeZone ? 1 : 0
            if let area = answer.administrativeArea, let right = place.area {
                named += 1
                areas += area == right ? 1 : 0
            }
        }
        times.sort()
        let country = 100 * Double(countries) / Double(held.count)
        let zone = 100 * Double(zones) / Double(held.count)
        print("places held out            \(held.count)")
        print("country right              \(rounded(country)) %    (at least 98.9)")
        print("time zone right            \(rounded(zone)) %    (at least 98.4)")
        let area = 100 * Double(areas) / Double(max(named, 1))
        print("administrative area right  \(rounded(area)) % of \(named) that have one")
        print("opening                    \(rounded(milliseconds(opening))) ms")
        let mean = times.map(milliseconds).reduce(0, +) / Double(times.count)
        print("a query, mean              \(rounded(mean)) ms    (below 1)")
        let spread = [times.count / 2, times.count * 99 / 100, times.count - 1].map { rounded(milliseconds(times[$0])) }
        print("p50, p99, max              \(spread) ms")
        let anywhere = try await timed(2000, in: places)
        print("anywhere on Earth, mean    \(rounded(milliseconds(anywhere))) ms, most of it far out at sea")
        var load = [0.0, 0.0, 0.0]
        if getloadavg(&load, 3) == 3 { print("load                       \(load.map(rounded))") }
        if country < 98.9 || zone < 98.4 || mean >= 1 { exit(1) }
    }

    /// The mean time of an answer for positions that are equally dense everywhere.
    private static func timed(_ count: Int, in places: OfflinePlaces) async throws -> Duration {
        var random = Scatter()
        let clock = ContinuousClock()
        let began = clock.now
        for _ in 0..<count {
            let latitude = asin(Double.random(in: -1...1, using: &random)) * 180 / .pi
            let longitude = Double.random(in: -180...180, using: &random)
            guard let position = Coordinate(latitude: latitude, longitude: longitude) else { continue }
            _ = try await places.placemarks(at: position, locale: nil)
        }
        return (clock.now - began) / count
    }

    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// A place and its expected answer.
struct HeldOut: Sendable {
    var id: Int64
    var coordinate: Coordinate
    var country: String
    var timeZone: String
    var area: String?
}

/// The same places each time, from all over the world.
func heldOut(_ count: Int, of path: String) throws -> [HeldOut] {
    var configuration = Configuration()
    configuration.readonly = true
    let all = try DatabaseQueue(path: path, configuration: configuration).read { database in
        try Row.fetchAll(
            database,
            sql: """
                SELECT places.id, south, west, places.country, zones.name, areas.name
                FROM places JOIN zones ON zones.id = zone LEFT JOIN areas ON areas.id = area ORDER BY places.id
                """
        ).compactMap { row -> HeldOut? in
            let (south, west): (Double, Double) = (row[1], row[2])
            guard let coordinate = Coordinate(latitude: south / 1e5, longitude: west / 1e5) else { return nil }
            return HeldOut(id: row[0], coordinate: coordinate, country: row[3], timeZone: row[4], area: row[5])
        }
    }
    var random = Scatter()
    return Array(all.shuffled(using: &random).prefix(count))
}

/// SplitMix64 (Steele, Lea, Flood 2014), from the same seed each time.
struct Scatter: RandomNumberGenerator {
    private var state: UInt64 = 20

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
