import Glibc
import LocationModel
import RegionMonitoring
import SimulatedSource

/// What a fix costs where one user monitors as much as the service lets it: 31 polygons of 1,000 corners, or 1,000 circles.
struct RegionPrice {
    private let fixes: [Location]
    private let route: [Coordinate]
    private let start: Coordinate

    private static let polygons = 31
    private static let corners = 1000
    private static let circles = 1000

    /// - Parameter count: fixes of the simulator's drive, ten a second.
    init?(fixes count: Int) {
        guard let start = Coordinate(latitude: 52.52, longitude: 13.405) else { return nil }
        let drive = SimulatedDrive(start: start)
        func fix(_ tick: Int) -> Location {
            let seconds = Double(tick) / 10
            var fix = drive.location(
                at: seconds, monotonicTime: BootInstant(seconds: 1000 + seconds), source: .init(name: "model"))
            fix.horizontalAccuracy = 5
            return fix
        }
        fixes = (0..<max(1, count)).map(fix)
        // A corner for each second, some before and some after the fixes.
        route = (0...Self.corners / 2).map { fix(10 * $0 - 1000).coordinate }
        self.start = start
    }

    /// Prints a line for each case: processor time a fix, over all fixes and the worst.
    func report(_ only: String?) {
        print("| regions | µs a fix | worst, µs | events |\n|---|---:|---:|---:|")
        for (name, regions) in cases where only ?? name == name {
            var monitor = MonitorEngine(MonitorSubjects(regions: regions))
            var (events, sum, most) = (0, 0.0, 0.0)
            for fix in fixes {
                let begin = Self.processorTime
                events += monitor.applyFix(fix).count
                guard monitor.decideNextFix(at: fix.monotonicTime) != nil else { continue }
                let time = Self.processorTime - begin
                (sum, most) = (sum + time, max(most, time))
            }
            print("| \(name) | \(rounded(sum / Double(fixes.count))) | \(rounded(most)) | \(events) |")
        }
    }

    private var cases: [(String, [Region])] {
        [
            ("polygons far away", rings(distance: 50_000, radius: 5000)),
            ("polygons around", rings(distance: 100, radius: 5000)),
            ("the same circle by corners, from its middle", rings(distance: 0, radius: 2500, dent: 1)),
            ("corridors along the way", corridors),
            ("circles far away", discs { 20_000 + 100 * Double($0) }),
            ("circles about town", discs { 3 * Double($0) }),
        ]
    }

    /// Ragged rings whose middles lie around the start.
    private func rings(distance: Double, radius: Double, dent: Double = 0.9) -> [Region] {
        (0..<Self.polygons).compactMap { number in
            let middle = start.coordinate(atDistance: distance, bearing: Double(number) * 11)
            let corners = (0..<Self.corners).map { corner in
                middle.coordinate(
                    atDistance: radius * (corner.isMultiple(of: 2) ? 1 : dent),
                    bearing: Double(corner) * 360 / Double(Self.corners))
            }
            return region(number, (try? RegionPolygon(corners: corners)).map(RegionShape.polygon))
        }
    }

    /// The way, 10 to 70 m wide: the machine is never far from any border.
    private var corridors: [Region] {
        (0..<Self.polygons).compactMap { number in
            let width = 5 + Double(number)
            func side(_ places: [Coordinate]) -> [Coordinate] {
                zip(places, places.dropFirst()).map { place, next in
                    place.coordinate(atDistance: width, bearing: (place.initialBearing(to: next) ?? 0) + 90)
                }
            }
            let corners = side(route) + side(route.reversed())
            return region(number, (try? RegionPolygon(corners: corners)).map(RegionShape.polygon))
        }
    }

    private func discs(_ distance: (Int) -> Double) -> [Region] {
        (0..<Self.circles).compactMap { number in
            let center = start.coordinate(atDistance: distance(number), bearing: Double(number) * 137.5)
            return region(number, (try? RegionCircle(center: center, radius: 150)).map(RegionShape.circle))
        }
    }

    private func region(_ number: Int, _ shape: RegionShape?) -> Region? {
        shape.flatMap { try? Region(identifier: "region \(number)", shape: $0) }
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 1e7).rounded() / 10 }

    /// CPU time of this process, seconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
