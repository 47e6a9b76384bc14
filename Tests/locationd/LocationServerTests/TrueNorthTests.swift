@_spi(Programs) import LocationModel
import Testing

@testable import LocationServer

@Suite struct TrueNorthTests {
    private var trueNorth = TrueNorth()
    private let now = BootInstant(seconds: 50_000)
    /// 2026-07-02T12:00:00Z.
    private let summer = UTCTime(seconds: 1_782_993_600)

    /// Reykjavik, some 11° west of magnetic north.
    private func location(age: Double = 1, timestamp: UTCTime? = nil, variation: Double? = nil) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 64.15, longitude: -21.94)),
            monotonicTime: now.advanced(bySeconds: -age), source: SourceInformation(name: "gpsd"))
        location.timestamp = timestamp
        location.magneticVariation = variation
        return location
    }

    private func magnetic(_ degrees: Double) -> Heading {
        var heading = Heading()
        heading.magneticHeading = degrees
        return heading
    }

    private func declination() throws -> Double {
        try MagneticModel.wmm2025.declination(latitude: 64.15, longitude: -21.94, height: 0, at: 1_782_993_600).degrees
    }

    @Test mutating func trueHeadingIsTheMagneticOneTurnedByTheDeclination() throws {
        let expected = try declination()
        #expect((-13 ... -8).contains(expected))
        let heading = trueNorth.complete(magnetic(90), near: try location(), at: now, utc: summer)
        #expect(abs(try #require(heading.trueHeading) - (90 + expected)) <= 0.0051)
        #expect(heading.magneticHeading == 90)
        let other = trueNorth.complete(magnetic(3), near: try location(), at: now, utc: summer)
        #expect(abs(try #require(other.trueHeading) - (363 + expected)) <= 0.0051, "a full turn is added")
    }

    @Test mutating func whatTheCompassSaysIsLeftAlone() throws {
        var heading = magnetic(90)
        heading.trueHeading = 5
        #expect(trueNorth.complete(heading, near: try location(), at: now, utc: summer) == heading)
        var attitude = Heading()
        attitude.pitch = 1
        #expect(trueNorth.complete(attitude, near: try location(), at: now, utc: summer) == attitude)
    }

    @Test mutating func withoutARecentLocationThereIsNone() throws {
        #expect(trueNorth.complete(magnetic(90), near: nil, at: now, utc: summer).trueHeading == nil)
        let old = try location(age: 10_801)
        #expect(trueNorth.complete(magnetic(90), near: old, at: now, utc: summer).trueHeading == nil)
        let younger = try location(age: 10_799)
        #expect(trueNorth.complete(magnetic(90), near: younger, at: now, utc: summer).trueHeading != nil)
    }

    @Test mutating func anExpiredModelIsSaidOnceAndTheReceiversVariationUsed() throws {
        let later = UTCTime(seconds: 1_893_456_000)
        #expect(trueNorth.complete(magnetic(90), near: try location(), at: now, utc: later).trueHeading == nil)
        #expect(trueNorth.consumeProblem()?.contains("WMM2025 has expired") == true)
        let fix = try location(variation: -10)
        #expect(trueNorth.complete(magnetic(90), near: fix, at: now, utc: later).trueHeading == 80)
        let tomorrow = UTCTime(seconds: later.seconds + 90_000)
        #expect(trueNorth.complete(magnetic(90), near: fix, at: now, utc: tomorrow).trueHeading == 80)
        #expect(trueNorth.consumeProblem() == nil)
    }

    @Test mutating func aClockThatIsNotSetGivesWayToTheReceivers() throws {
        let unset = UTCTime(seconds: 100)
        #expect(trueNorth.complete(magnetic(90), near: try location(), at: now, utc: unset).trueHeading == nil)
        #expect(trueNorth.consumeProblem() == nil)
        let fix = try location(timestamp: summer)
        let heading = trueNorth.complete(magnetic(90), near: fix, at: now, utc: unset)
        #expect(abs(try #require(heading.trueHeading) - (90 + declination())) <= 0.0051)
    }

    @Test mutating func aReplayHasTheDeclinationOfItsTime() throws {
        var fix = try location(timestamp: UTCTime(seconds: 1_740_000_000))
        let then = trueNorth.complete(magnetic(90), near: fix, at: now, utc: summer).trueHeading
        fix.source.method = .replayed
        let replayed = trueNorth.complete(magnetic(90), near: fix, at: now, utc: summer).trueHeading
        #expect(then != replayed, "more than a year lies between")
    }

    @Test mutating func theDeclinationFollowsTheMachine() throws {
        _ = trueNorth.complete(magnetic(90), near: try location(), at: now, utc: summer)
        var fix = try location()
        fix.coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        let heading = trueNorth.complete(magnetic(90), near: fix, at: now, utc: summer)
        #expect((93...97).contains(try #require(heading.trueHeading)))
    }

    @Test mutating func nearTheMagneticPoleThereIsNone() throws {
        var fix = try location()
        fix.coordinate = try #require(Coordinate(latitude: 86.5, longitude: 140))
        #expect(trueNorth.complete(magnetic(90), near: fix, at: now, utc: summer).trueHeading == nil)
        #expect(trueNorth.consumeProblem() == nil)
    }
}
