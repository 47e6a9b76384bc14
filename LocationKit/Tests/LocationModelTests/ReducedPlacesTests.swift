@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ReducedPlacesTests {
    private let home: Coordinate

    init() throws { home = try Location.bare().coordinate }

    private func east(_ metres: Double) -> Coordinate {
        metres == 0 ? home : home.coordinate(atDistance: metres, bearing: 90)
    }

    /// Asks with answers that are the positions themselves, so that the answer names the place.
    private func ask(_ places: inout ReducedPlaces, _ metres: Double, slack: Double = 0) -> Coordinate {
        places.answer(for: east(metres), within: 500, slack: slack) { $0 }
    }

    @Test func placeHasOneAnswerAsFarAsItReaches() {
        var places = ReducedPlaces()
        #expect(ask(&places, 0) == home)
        #expect(ask(&places, 499) == home)
        #expect(ask(&places, -499) == home)
        #expect(ask(&places, 501) == east(501))
    }

    @Test func badFixDoesNotLeaveThePlace() {
        var places = ReducedPlaces()
        _ = ask(&places, 0)
        #expect(ask(&places, 1400, slack: 1000) == home)
        #expect(ask(&places, 1600, slack: 1000) == east(1600))
    }

    @Test func badFixDoesNotTellOfAnotherPlace() {
        var places = ReducedPlaces()
        for metres in [0.0, 0, 5000] { _ = ask(&places, metres) }
        #expect(ask(&places, 3000, slack: 4000) == east(5000))
    }

    @Test func settledPlaceIsPreferredToOnePassed() {
        var places = ReducedPlaces()
        for metres in [0.0, 0, 600] { _ = ask(&places, metres) }
        #expect(ask(&places, 300) == home)
        #expect(places.list.map(\.isSettled) == [true, false])
    }

    /// Two places overlap, and a receiver's noise moves between them.
    @Test func restingBetweenTwoPlacesKeepsTheLatestAnswer() {
        var places = ReducedPlaces()
        for metres in [0.0, 0, 600, 600] { _ = ask(&places, metres) }
        for metres in [290.0, 310, 295, 305] { #expect(ask(&places, metres) == east(600)) }
    }

    @Test func journeysDoNotForgetWhereTheMachineRests() {
        var places = ReducedPlaces()
        for metres in [0.0, 0, 10_000, 10_000] { _ = ask(&places, metres) }
        for stop in 0..<200 { _ = ask(&places, 20_000 + 1000 * Double(stop)) }
        #expect(places.list.count == ReducedPlaces.capacity)
        #expect(ask(&places, 100) == home)
        #expect(ask(&places, 10_100) == east(10_000))
        #expect(ask(&places, 20_100) == east(20_100), "the first stop is forgotten")
    }

    @Test func latestOfTooManySettledPlacesAreKept() {
        var places = ReducedPlaces()
        for stop in 0..<40 { for _ in 0..<2 { _ = ask(&places, 1000 * Double(stop)) } }
        #expect(places.list.count == ReducedPlaces.capacity)
        #expect(ask(&places, 39_100) == east(39_000))
        #expect(ask(&places, 100) == east(100))
    }

    @Test func nearnessCrossesTheAntimeridianAndThePole() throws {
        let pairs = [(0.0, 179.999, 0.0, -179.999), (89.999, 0, 89.999, 180), (60, 180, 60, -180)]
        for (latitude, longitude, otherLatitude, otherLongitude) in pairs {
            let one = try #require(Coordinate(latitude: latitude, longitude: longitude))
            let other = try #require(Coordinate(latitude: otherLatitude, longitude: otherLongitude))
            var places = ReducedPlaces()
            _ = places.answer(for: one, within: 500, slack: 0) { $0 }
            #expect(places.answer(for: other, within: 500, slack: 0) { $0 } == one)
        }
    }
}
