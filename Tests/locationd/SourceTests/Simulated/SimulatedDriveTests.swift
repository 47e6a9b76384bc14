@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

@Suite struct SimulatedDriveTests {
    /// Ordinary places and those where coordinates are at their wildest.
    static let starts: [Coordinate] = [
        (52.52, 13.405), (-33.86, 151.21), (0, 0), (0.001, 179.999), (-17, -180), (89.5, 100), (89.99, 45), (90, 0),
        (-90, 10),
    ].compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }

    static let source = SourceInformation(name: "simulator", method: .simulated)

    static func berlin() throws -> Coordinate {
        try #require(Coordinate(latitude: 52.52, longitude: 13.405))
    }

    @Test func beginsWhereItIsToldTo() throws {
        for start in Self.starts {
            #expect(SimulatedDrive(start: start).moment(at: 0).coordinate.distance(to: start) < 0.001)
        }
    }

    @Test(arguments: [1.4, 14, 60, 100] as [Double])
    func positionAgreesWithSpeedAndCourse(speed: Double) throws {
        let step = 0.05
        for (seed, start) in Self.starts.enumerated() {
            let drive = SimulatedDrive(start: start, speed: speed, seed: UInt64(seed))
            var before = drive.moment(at: 0)
            for tick in 1...12_000 {
                let now = drive.moment(at: Double(tick) * step)
                let moved = before.coordinate.distance(to: now.coordinate)
                #expect(abs(moved - (before.speed + now.speed) / 2 * step) < 0.005, "tick \(tick) from \(start)")
                // Bearings near a pole turn faster than a step is short.
                if moved > 0.1, abs(now.coordinate.latitude) < 89.9 {
                    let bearing = try #require(before.coordinate.initialBearing(to: now.coordinate))
                    #expect(apart(bearing, before.direction) < 1, "tick \(tick) from \(start)")
                }
                before = now
            }
        }
    }

    @Test func climbAgreesWithAltitude() throws {
        let drive = SimulatedDrive(start: try Self.berlin(), altitude: 400, seed: 3)
        for tick in 1...6000 {
            let (before, now) = (drive.moment(at: Double(tick - 1) / 10), drive.moment(at: Double(tick) / 10))
            #expect(abs(now.altitude - before.altitude - (before.climb + now.climb) / 2 / 10) < 0.002)
            #expect(abs(now.altitude - 400) < 200)
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func drivesLikeACar(seed: UInt64) throws {
        let drive = SimulatedDrive(start: try Self.berlin(), speed: 14, seed: seed)
        let moments = (0..<6000).map { drive.moment(at: Double($0) / 5) }
        let speeds = moments.map(\.speed)
        #expect((11...14).contains(try #require(speeds.max())))
        for (before, now) in zip(moments, moments.dropFirst()) {
            #expect(abs(now.speed - before.speed) * 5 <= 1.601)
            #expect(apart(now.direction, before.direction) * 5 * now.speed * .pi / 180 <= 2.2)
            #expect(apart(now.direction, before.direction) < 10)
        }
        let standing = moments.count { $0.speed == 0 }
        #expect((10..<3000).contains(standing))
    }

    @Test func hasNoCourseWhileItStands() throws {
        let drive = SimulatedDrive(start: try Self.berlin())
        let fixes = (0..<1000).map { second in
            drive.location(at: Double(second), monotonicTime: BootInstant(seconds: 0), source: Self.source)
        }
        for fix in fixes {
            let stands = fix.speed == 0
            #expect((fix.course == nil) == stands)
            #expect((fix.courseAccuracy == nil) == stands)
        }
        #expect(fixes.contains { $0.course == nil } && fixes.contains { $0.course != nil })
    }

    @Test func sameSeedIsTheSameDriveInAnyOrder() throws {
        let start = try Self.berlin()
        let (one, two) = (SimulatedDrive(start: start, seed: 7), SimulatedDrive(start: start, seed: 7))
        let other = SimulatedDrive(start: start, seed: 8)
        let times = (0..<500).map { Double($0) * 1.7 }
        #expect(times.map(one.moment) == times.reversed().map(two.moment).reversed())
        #expect(times.map(one.satellites) == times.map(two.satellites))
        #expect(times.map(one.moment) != times.map(other.moment))
        #expect(one.satellites(at: 0) != other.satellites(at: 0))
    }

    @Test func drivesForDaysWithoutGoingAstray() {
        for start in Self.starts {
            let drive = SimulatedDrive(start: start, speed: 100)
            for hour in stride(from: 0.0, through: 24 * 400, by: 7.3) {
                let moment = drive.moment(at: hour * 3600)
                #expect(moment.coordinate.distance(to: start) < 12_000)
                #expect((0..<360).contains(moment.direction))
            }
        }
    }

    @Test(arguments: [.nan, .infinity, -.infinity, -5, 1e300, -1e300] as [Double])
    func survivesAnyNumber(_ wild: Double) throws {
        let start = try Self.berlin()
        let drive = SimulatedDrive(start: start, speed: wild, altitude: wild, seed: .max)
        let fix = drive.location(at: wild, monotonicTime: .init(seconds: 0), source: Self.source)
        #expect(fix.coordinate.distance(to: start) < 12_000)
        #expect(fix.altitude?.isFinite == true)
        #expect((0...100).contains(try #require(fix.speed)))
        #expect(drive.satellites(at: wild).allSatisfy { $0.elevation?.isFinite == true })
    }

    @Test func standsForEverWithoutSpeed() throws {
        let drive = SimulatedDrive(start: try Self.berlin(), speed: 0)
        #expect(drive.moment(at: 0) == drive.moment(at: 1e6))
        #expect(drive.moment(at: 1e6).course == nil)
    }
}

/// Degrees between two bearings.
private func apart(_ one: Double, _ other: Double) -> Double {
    abs((one - other).remainder(dividingBy: 360))
}
