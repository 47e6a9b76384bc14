import Foundation
@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

@Suite struct SimulatedReadingsTests {
    private func fix(of drive: SimulatedDrive, at seconds: Double) -> Location {
        drive.location(at: seconds, monotonicTime: BootInstant(seconds: 5), source: SimulatedDriveTests.source)
    }

    @Test func everyAccuracyIsPlausibleAndMoves() throws {
        let drive = SimulatedDrive(start: try SimulatedDriveTests.berlin())
        let fixes = (0..<3000).map { fix(of: drive, at: Double($0) * 10) }
        for fix in fixes {
            #expect((0.5...10).contains(try #require(fix.horizontalAccuracy)))
            #expect((0.5...20).contains(try #require(fix.verticalAccuracy)))
            #expect((0.05...0.5).contains(try #require(fix.speedAccuracy)))
            #expect((0.1...1).contains(try #require(fix.climbAccuracy)))
            if let accuracy = fix.courseAccuracy { #expect(accuracy > 0 && accuracy <= 90) }
        }
        #expect(Set(fixes.map(\.horizontalAccuracy)).count > 1000)
        // It is told to a thousandth, and its range has some 300 of them: most are seen.
        #expect(Set(fixes.map(\.speedAccuracy)).count > 200)
    }

    @Test func heightsDifferByTheGeoidSeparation() throws {
        let drive = SimulatedDrive(start: try SimulatedDriveTests.berlin())
        for second in 0..<300 {
            let fix = fix(of: drive, at: Double(second))
            let separation = try #require(fix.ellipsoidalAltitude) - #require(fix.altitude)
            #expect(abs(separation - SimulatedDrive.geoidSeparation) < 1e-9)
            #expect(fix.magneticVariation == SimulatedDrive.magneticVariation)
            #expect(fix.mode == .threeDimensional)
        }
    }

    @Test(arguments: SimulatedDriveTests.starts)
    func skyIsFullEverywhereAtAnyTime(start: Coordinate) throws {
        for seed in 0..<4 as Range<UInt64> {
            let drive = SimulatedDrive(start: start, seed: seed)
            for minute in stride(from: 0.0, to: 2 * 24 * 60, by: 5) {
                let sky = drive.satellites(at: minute * 60)
                #expect((11...22).contains(sky.count))
                for satellite in sky {
                    #expect((5...90).contains(try #require(satellite.elevation)))
                    #expect((0..<360).contains(try #require(satellite.azimuth)))
                    #expect((20...55).contains(try #require(satellite.signal)))
                }
                #expect(Set(sky.map { "\($0.gnss) \($0.id)" }).count == sky.count)
                let fix = fix(of: drive, at: minute * 60)
                let (hdop, vdop, pdop) = try (
                    #require(fix.hdop), #require(fix.vdop), #require(fix.pdop)
                )
                #expect((0.4...2.5).contains(hdop) && (0.5...6).contains(vdop))
                // Each is told to a thousandth: half of one, and of two at most 1.5 times as much.
                #expect(abs(pdop - (hdop * hdop + vdop * vdop).squareRoot()) < 0.001_25)
                #expect(fix.satellitesUsed == sky.count(where: \.used))
            }
        }
    }

    @Test func satellitesRiseAndSetSlowly() throws {
        let drive = SimulatedDrive(start: try SimulatedDriveTests.berlin())
        func elevations(at seconds: Double) -> [String: Double] {
            Dictionary(
                uniqueKeysWithValues: drive.satellites(at: seconds).map { ("\($0.gnss) \($0.id)", $0.elevation ?? 0) })
        }
        let first = elevations(at: 0)
        for (name, elevation) in elevations(at: 60) {
            #expect(abs(elevation - (first[name] ?? 5)) < 1)
        }
        let later = elevations(at: 3 * 3600)
        #expect(!Set(later.keys).subtracting(first.keys).isEmpty)
        #expect(!Set(first.keys).subtracting(later.keys).isEmpty)
    }

    @Test func compassPointsWhereTheVehicleDrives() throws {
        let drive = SimulatedDrive(start: try SimulatedDriveTests.berlin())
        for second in 0..<600 {
            let (fix, heading) = (fix(of: drive, at: Double(second)), drive.heading(at: Double(second)))
            if let course = fix.course { #expect(heading.trueHeading == course) }
            let (geographic, magnetic) = try (#require(heading.trueHeading), #require(heading.magneticHeading))
            #expect(abs((geographic - magnetic - 3.5).remainder(dividingBy: 360)) < 1e-9)
            #expect((0..<360).contains(magnetic))
            #expect(abs(try #require(heading.pitch)) < 5)
        }
    }
}
