import LocationEstimate
@_spi(Programs) import LocationModel
import Testing

/// A machine that stands: when that is seen, what is held, and how it ends.
@Suite struct EstimatorStandstillTests {
    @Test func standingMachineIsStill() throws {
        var journey = Journey()
        for _ in 0..<20 { journey.go(10, course: 30) }
        for (index, error) in Journey.errors(180, 2).enumerated() {
            journey.go(0, error: error) {
                // What a receiver says of the direction of nothing.
                ($0.speed, $0.course) = (0.05, Double(index * 97 % 360))
            }
        }
        let standing = journey.estimates.suffix(120)
        let course = try #require(standing.first?.course)
        #expect(standing.allSatisfy { $0.speed == 0 && abs(($0.course ?? 0) - course) < 0.001 })
        #expect(try Journey.turned(#require(standing.first?.course), 30) < 5)
        for (one, other) in zip(standing, standing.dropFirst()) {
            #expect(one.coordinate.distance(to: other.coordinate) < 0.2)
        }
        let first = try #require(standing.first?.coordinate)
        #expect(standing.allSatisfy { $0.coordinate.distance(to: first) < 1 })
        #expect(journey.error(of: journey.last) < 1.5)
        #expect(journey.predicted(after: 2) == nil, "who stands stays")
    }

    @Test func startIsSeenAtOnce() throws {
        var journey = Journey()
        for error in Journey.errors(60, 1) { journey.go(0, error: error) { $0.course = nil } }
        #expect(journey.last?.speed == 0)
        journey.go(3, course: 200)
        #expect(try #require(journey.last?.speed) > 2 && Journey.turned(#require(journey.last?.course), 200) < 10)
        journey.go(6, course: 200)
        #expect(journey.error(of: journey.last) < 2)
    }

    /// Fixes seconds apart, or as exact as a surveyor's, and a machine that accelerates from a standstill.
    @Test(arguments: [(1.0, 3.0), (5, 3), (10, 5), (1, 0.02)])
    func departureIsSeenAtAnyRate(interval: Double, accuracy: Double) throws {
        var journey = Journey()
        journey.accuracy = accuracy
        for _ in 0..<30 { journey.go(0, for: interval) { $0.course = nil } }
        #expect(journey.last?.speed == 0)
        var speed = 0.0
        for _ in 0..<4 {
            let before = speed
            speed = min(20, speed + 3 * interval)
            journey.go((before + speed) / 2, for: interval) { $0.speed = speed }
            #expect(journey.error(of: journey.last) < max(6, accuracy * 2))
            #expect(try abs(#require(journey.last?.speed) - speed) < 4)
        }
    }

    @Test func alternatingPlacesAreSeenAtAStandstillToo() throws {
        var journey = Journey()
        for _ in 0..<60 { journey.go(0) { $0.course = nil } }
        for index in 0..<40 { journey.go(0, error: (index % 2 == 0 ? 100 : 0, 0)) { $0.course = nil } }
        #expect(try #require(journey.last?.horizontalAccuracy) > 30)
    }

    /// It hovers, and rises: a standstill of the map alone.
    @Test func heightGoesOnAtAStandstill() throws {
        var journey = Journey()
        var height = 400.0
        for second in 0..<120 {
            if second > 60 { height += 5 }
            journey.go(0) {
                ($0.course, $0.ellipsoidalAltitude, $0.verticalAccuracy) = (nil, height, 4)
                ($0.climb, $0.climbAccuracy) = (second > 60 ? 5 : 0, 0.2)
            }
        }
        #expect(try abs(#require(journey.last?.ellipsoidalAltitude) - height) < 6)
    }

    /// As slow as a robot, from a receiver that does not say the speed.
    @Test func slowMovementIsNoStandstill() throws {
        var journey = Journey()
        for error in Journey.errors(120, 0.3) {
            journey.go(0.4, error: error) { ($0.speed, $0.speedAccuracy, $0.course) = (nil, nil, nil) }
        }
        #expect(journey.error(of: journey.last) < 2)
        #expect(try #require(journey.last?.speed) > 0.1)
    }

    /// The acceleration and the turn before a stop say nothing of what comes after it.
    @Test func predictionAfterAStopHasNoManoeuvreOfBeforeIt() throws {
        var journey = Journey()
        for second in 0..<10 { journey.go(12, course: Double(second) * 20) }
        for speed in [8.0, 4] { journey.go(speed, course: 180) }
        for _ in 0..<10 { journey.go(0) { $0.course = nil } }
        #expect(journey.last?.speed == 0)
        journey.go(4, course: 180)
        let (last, prediction) = (try #require(journey.last), try #require(journey.predicted(after: 2)))
        let distance = last.coordinate.distance(to: prediction.coordinate)
        #expect(try abs(distance - 2 * #require(last.speed)) < 0.1, "\(distance)")
        #expect(try Journey.turned(#require(prediction.course), #require(last.course)) < 0.1)
    }

    /// The plane in which positions are filtered ends 2 km from its point.
    @Test func standstillIsSeenAsSoonWhereThePlaneIsMoved() {
        func secondsToStandstill(at distance: Double) -> Int? {
            var journey = Journey()
            journey.accuracy = 6
            journey.go(0) { $0.speed = 21 }
            for _ in 0..<90 { journey.go((distance - 115) / 90) }
            for speed in stride(from: 20.0, through: 2, by: -2) { journey.go(speed) }
            for _ in 0..<10 { journey.go(0.5) }
            for second in 1...20 {
                journey.go(0.45)
                if journey.last?.speed == 0 { return second }
            }
            return nil
        }
        let seconds = Set(stride(from: 1998, through: 2001, by: 0.05).map(secondsToStandstill))
        #expect(seconds.count == 1 && seconds.first != .some(nil), "\(seconds)")
    }

    /// The first fixes after a short gap are 200 m off: the machine stays, and the circle recovers.
    @Test func standingMachineStaysWhileItsReceiverConverges() throws {
        var journey = Journey()
        for _ in 0..<30 { journey.go(0) { $0.course = nil } }
        journey.goUnseen(0, course: 0, for: 4)
        for error in [200.0, 90, 40, 18, 8] {
            journey.go(0, error: (error, 0)) { $0.course = nil }
            #expect(journey.error(of: journey.last) < 2)
        }
        #expect(try #require(journey.last?.horizontalAccuracy) > 30)
        for _ in 0..<30 { journey.go(0) { $0.course = nil } }
        #expect(try #require(journey.last?.horizontalAccuracy) < 10)
    }
}
