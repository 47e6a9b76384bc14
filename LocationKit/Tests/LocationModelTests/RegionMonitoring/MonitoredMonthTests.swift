import Foundation
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import TestSupport
import Testing

/// A month of a fix each second: at home, to work in the morning and back in the evening.
@Suite struct MonitoredMonthTests {
    @Test func aMonthLeavesNothingBehind() async {
        // In a process of its own, whose memory nobody else uses.
        await #expect(processExitsWith: .success) {
            let commute = try Commute()
            var monitor = MonitorEngine(try commute.request)
            var (visits, crossings, changes) = (0, 0, 0)
            var sizes: [Int] = []
            var resident: [Int] = []
            for second in 0..<30 * 86_400 {
                for event in monitor.applyFix(try commute.fix(at: second)) {
                    switch event {
                    case .visit: visits += 1
                    case .region(let report): crossings += report.event == nil ? 0 : 1
                    case .significantChange: changes += 1
                    }
                }
                if second % 7200 == 5400 { sizes.append(Commute.size(of: monitor)) }
                if second % 86_400 == 86_399 { resident.append(try Commute.residentMemory()) }
            }
            // At home for a start, then each day there and back.
            #expect(visits == 30 * 4 + 1)
            #expect(crossings == 30 * 5 + 1, "with dwells")
            #expect((30 * 40...30 * 120).contains(changes))
            let (early, late) = (sizes.prefix(36).max() ?? 0, sizes.dropFirst(36).max() ?? .max)
            #expect(late <= early * 5 / 4)
            #expect(resident[29] - resident[2] < 1 << 20, "\(resident)")
        }
    }
}

/// Where somebody is who works 30 km from home.
private struct Commute {
    private let home: (latitude: Double, longitude: Double) = (48.1, 11.5)
    private let way: (latitude: Double, longitude: Double) = (0.2, 0.27)
    /// Standard normal numbers.
    private let noise: [Double]

    init() throws {
        var generator = SeededGenerator(seed: 1)
        // As many as no day or hour is a multiple of.
        noise = (0..<10_007).map { _ in
            (-2 * log(Double.random(in: 1e-9...1, using: &generator))).squareRoot()
                * cos(.random(in: 0...2 * Double.pi, using: &generator))
        }
    }

    /// Home with a dwell of an hour, the quarter of work, and somewhere never come to.
    var request: MonitorSubjects {
        get throws {
            let work = try RegionPolygon(
                corners: [(-0.01, -0.01), (-0.01, 0.01), (0.01, 0.01), (0.01, -0.01)].map {
                    try #require(place(1, offset: $0))
                })
            let (here, far) = (try #require(place(0)), try #require(place(3)))
            return MonitorSubjects(
                regions: [
                    try Region(
                        identifier: "home", shape: .circle(RegionCircle(center: here, radius: 150)), dwell: 3600),
                    try Region(identifier: "work", shape: .polygon(work)),
                    try Region(identifier: "far", shape: .circle(RegionCircle(center: far, radius: 1000))),
                ], significantChange: SignificantChange(), visits: true)
        }
    }

    func fix(at second: Int) throws -> Location {
        let hour = Double(second % 86_400) / 3600
        let isMoving = (7..<8).contains(hour) || (17..<18).contains(hour)
        let part = hour < 12 ? min(max(0, hour - 7), 1) : 1 - min(max(0, hour - 17), 1)
        let metre = 1 / 111_000.0
        let offset = (noise[second % noise.count] * 4 * metre, noise[second * 7 % noise.count] * 6 * metre)
        var fix = Location(
            coordinate: try #require(place(part, offset: offset)), monotonicTime: .at(Double(second)),
            source: SourceInformation(name: "gpsd"))
        fix.horizontalAccuracy = 10
        fix.speed = isMoving ? 8.3 : 0.2
        fix.timestamp = .at(Double(second))
        return fix
    }

    private func place(_ part: Double, offset: (Double, Double) = (0, 0)) -> Coordinate? {
        Coordinate(
            latitude: home.latitude + way.latitude * part + offset.0,
            longitude: home.longitude + way.longitude * part + offset.1)
    }

    /// Bytes of everything in it in words.
    static func size(of monitor: MonitorEngine) -> Int {
        var text = ""
        dump(monitor, to: &text)
        return text.utf8.count
    }

    /// Bytes.
    static func residentMemory() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(words.dropFirst().first.flatMap { Int($0) }) * 4096
    }
}
