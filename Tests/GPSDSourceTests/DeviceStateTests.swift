import LocationModel
import Testing

@testable import GPSDSource

@Suite struct DeviceStateTests {
    private var state = DeviceState()

    /// What a fix gets from the sky so many seconds after boot.
    private func completed(at seconds: Double) throws -> Location {
        let coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.25))
        let now = BootInstant(seconds: seconds)
        var location = Location(
            coordinate: coordinate, monotonicTime: now, source: SourceInformation(name: "gpsd"))
        state.complete(&location, at: now)
        return location
    }

    private mutating func take(_ report: SkyReport, at seconds: Double) {
        state.applySky(report, at: BootInstant(seconds: seconds))
    }

    private func satellites(used: Int) -> SkyReport {
        let list = (1...12).map { Satellite(gnss: "GPS", id: $0, used: $0 <= used) }
        return SkyReport(hdop: 1, vdop: 2, pdop: 3, satellites: list, satellitesUsed: used)
    }

    @Test func withoutASkyNothingIsKnown() throws {
        let location = try completed(at: 50)
        #expect(location.satellitesUsed == nil)
        #expect(location.hdop == nil)
    }

    @Test mutating func aSkyBelongsToTheFixesAfterIt() throws {
        take(satellites(used: 7), at: 50)
        for seconds in [50, 55, 59.9] {
            let location = try completed(at: seconds)
            #expect(location.satellitesUsed == 7)
            #expect(location.hdop == 1)
            #expect(location.vdop == 2)
            #expect(location.pdop == 3)
        }
        #expect(try completed(at: 60).satellitesUsed == nil)
        #expect(try completed(at: 60).pdop == nil)
    }

    @Test mutating func theLatestSkyCounts() throws {
        take(satellites(used: 7), at: 50)
        take(SkyReport(hdop: 4, satellites: [], satellitesUsed: 0), at: 51)
        let location = try completed(at: 51)
        #expect(location.satellitesUsed == 0)
        #expect(location.hdop == 4)
        #expect(location.vdop == nil)
    }

    @Test mutating func dilutionsAloneLeaveTheSatellites() throws {
        take(satellites(used: 7), at: 50)
        take(SkyReport(hdop: 4), at: 51)
        #expect(try completed(at: 51).satellitesUsed == 7)
        #expect(try completed(at: 51).hdop == 4)
        take(SkyReport(hdop: 5, satellitesUsed: 6), at: 52)
        #expect(try completed(at: 52).satellitesUsed == 6)
    }

    @Test mutating func dilutionsAloneDoNotKeepOldSatellitesYoung() throws {
        take(satellites(used: 7), at: 50)
        for seconds in stride(from: 51.0, to: 100, by: 1) { take(SkyReport(hdop: 4), at: seconds) }
        #expect(try completed(at: 99).hdop == 4)
        #expect(try completed(at: 99).satellitesUsed == nil)
        #expect(try completed(at: 59.5).satellitesUsed == 7)
    }

    @Test mutating func dilutionsThatCannotBeAreAbsent() throws {
        take(SkyReport(hdop: -1, vdop: 99.99, pdop: 0), at: 50)
        let location = try completed(at: 50)
        #expect(location.hdop == nil)
        #expect(location.vdop == 99.99)
        #expect(location.pdop == 0)
    }
}
