@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// When a vehicle's home may be told to be elsewhere.
@Suite struct HomeFollowerTests {
    private var follower = HomeFollower()

    /// - Parameter north: metres from the start.
    private mutating func apply(
        at seconds: Double, north: Double = 0, speed: Double? = nil, accuracy: Double? = 5,
        method: LocationMethod = .gnss, isReduced: Bool = false
    ) throws {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 50 + north / 111_229, longitude: 8)),
            monotonicTime: BootInstant(seconds: 1000 + seconds), source: SourceInformation(name: "x", method: method))
        (location.horizontalAccuracy, location.speed, location.altitude) = (accuracy, speed, 120)
        follower.applyLocation(location, isReduced: isReduced)
    }

    @Test mutating func restTakesTenMinutes() throws {
        try apply(at: 0)
        #expect(follower.place == nil)
        try apply(at: 599)
        #expect(follower.place == nil)
        try apply(at: 600, north: 3)
        let place = try #require(follower.place)
        #expect(abs(place.coordinate.latitude - 50) < 0.001 && place.altitude == 120)
        follower.endFollowing()
        try apply(at: 700)
        #expect(follower.place == nil, "once for each rest")
    }

    @Test mutating func movementEndsARest() throws {
        try apply(at: 0)
        try apply(at: 590, speed: 2)
        try apply(at: 600, speed: 0)
        #expect(follower.place == nil)
        try apply(at: 1199)
        #expect(follower.place == nil)
        try apply(at: 1200, speed: 1.9)
        #expect(follower.place != nil)
        try apply(at: 1201, speed: 2)
        #expect(follower.place == nil, "it moves now")
    }

    @Test mutating func driftBeyondAHundredMetresIsNoRest() throws {
        try apply(at: 0)
        try apply(at: 300, north: 99)
        try apply(at: 600, north: -99)
        #expect(follower.place != nil, "a boat at anchor")
        follower.endFollowing()
        try apply(at: 700, north: 101)
        try apply(at: 1299, north: 101)
        #expect(follower.place == nil)
        try apply(at: 1300, north: 101)
        #expect(follower.place != nil, "another place is another rest")
    }

    @Test(
        arguments: [
            (LocationMethod.simulated, 5.0, false), (.replayed, 5, false), (.fixedPosition, 5, false),
            (.network, 100.1, false), (.gnss, 100.1, false), (.gnss, nil, false), (.gnss, 5, true), (.network, 5, true),
        ] as [(LocationMethod, Double?, Bool)])
    mutating func otherPositionsDoNotCount(method: LocationMethod, accuracy: Double?, isReduced: Bool) throws {
        for seconds in [0.0, 600, 1200] {
            try apply(at: seconds, accuracy: accuracy, method: method, isReduced: isReduced)
            #expect(follower.place == nil)
        }
        // Nor do they end the rest of a measured one.
        try apply(at: 2000)
        try apply(at: 2300, north: 5000, speed: 30, accuracy: accuracy, method: method, isReduced: isReduced)
        try apply(at: 2600)
        #expect(follower.place != nil)
    }

    @Test mutating func accessPointsCountUpToAHundredMetres() throws {
        for seconds in [0.0, 600] { try apply(at: seconds, accuracy: 100, method: .network) }
        #expect(follower.place != nil)
    }
}
