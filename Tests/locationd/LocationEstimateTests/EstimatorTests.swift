import LocationEstimate
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// What is estimated from fixes, and how certain it is said to be.
@Suite struct EstimatorTests {
    @Test func firstFixIsItself() throws {
        var journey = Journey()
        journey.go(10)
        let estimate = try #require(journey.last)
        #expect(estimate.basis == .filtered && journey.error(of: estimate) < 1e-6)
        #expect(try abs(#require(estimate.horizontalAccuracy) - 3) < 0.05)
        #expect(try abs(#require(estimate.speed) - 10) < 1e-9 && abs(#require(estimate.course) - 90) < 1e-6)
        #expect(estimate.accuracyBasis == nil && estimate.errorEllipse?.isStandardDeviation == true)
    }

    @Test func independentErrorsAreReduced() throws {
        var journey = Journey()
        var (raw, own, held) = (0.0, 0.0, 0)
        let errors = Journey.errors(300, 2)
        for error in errors {
            journey.go(15, error: error)
            raw += error.east * error.east + error.north * error.north
            let distance = journey.error(of: journey.last)
            own += distance * distance
            if distance <= journey.last?.horizontalAccuracy ?? 0 { held += 1 }
        }
        #expect((own / raw).squareRoot() < 0.6)
        #expect(held > errors.count * 6 / 10, "the circle of 68 % holds \(held) of \(errors.count)")
        #expect(try #require(journey.last?.horizontalAccuracy) < 2)
    }

    /// What a receiver is off for minutes no filter can know: the circle stays as large as the receiver's.
    @Test func errorThatLastsLeavesTheCircle() throws {
        var journey = Journey()
        for _ in 0..<300 { journey.go(15, error: (2, -1)) }
        #expect(abs(journey.error(of: journey.last) - 5.0.squareRoot()) < 0.1)
        #expect(try #require(journey.last?.horizontalAccuracy) > 2.5)
    }

    /// One says the height above the ellipsoid, the other that above the sea.
    @Test func heightsOfTwoKindsAreNotMixed() throws {
        var journey = Journey()
        for _ in 0..<30 {
            journey.go(10) { ($0.ellipsoidalAltitude, $0.altitude, $0.verticalAccuracy) = (447, 400, 3) }
        }
        journey.go(10) { ($0.altitude, $0.verticalAccuracy) = (400, 3) }
        #expect(try abs(#require(journey.last?.altitude) - 400) < 1 && journey.last?.ellipsoidalAltitude == nil)
    }

    /// What was measured before and arrives later is no way back.
    @Test func fixThatArrivesLateTurnsNothingBack() throws {
        var journey = Journey()
        for _ in 0..<30 { journey.go(15) { $0.timestamp = nil } }
        journey.go(0, for: 0) {
            ($0.monotonicTime, $0.timestamp) = ($0.monotonicTime.advanced(bySeconds: -5), nil)
            ($0.horizontalAccuracy, $0.speed, $0.course) = (500, nil, nil)
        }
        let prediction = try #require(journey.predicted(after: 1))
        #expect(abs(prediction.coordinate.distance(to: journey.place) - 15) < 3)
        journey.go(15) { $0.timestamp = nil }
        #expect(journey.error(of: journey.last) < 3)
    }

    @Test(arguments: [1e80, 1e160, .greatestFiniteMagnitude])
    func numbersThatAreHugeStayFinite(number: Double) throws {
        var journey = Journey()
        for _ in 0..<5 {
            journey.go(10) {
                ($0.horizontalAccuracy, $0.verticalAccuracy, $0.altitude) = (number, number, number)
                ($0.speed, $0.speedAccuracy, $0.climb, $0.climbAccuracy) = (number, number, number, number)
                $0.errorEllipse = ErrorEllipse(
                    semiMajorAxis: number, semiMinorAxis: number / 2, orientation: 7, isStandardDeviation: true)
            }
            let last = try #require(journey.last)
            let numbers = [
                last.horizontalAccuracy, last.verticalAccuracy, last.speed, last.speedAccuracy, last.course,
                last.courseAccuracy,
                last.errorEllipse?.semiMajorAxis,
            ]
            #expect(numbers.allSatisfy { $0?.isFinite ?? true })
        }
    }

    @Test func circleThatTheReceiverStatesIsBelievedRatherThanAnEllipseFromDOP() throws {
        func accuracy(isStandardDeviation: Bool) throws -> Double? {
            var journey = Journey()
            journey.go(10) {
                $0.horizontalAccuracy = 1
                $0.errorEllipse = ErrorEllipse(
                    semiMajorAxis: 6, semiMinorAxis: 5, orientation: 7, isStandardDeviation: isStandardDeviation)
            }
            return try #require(journey.last).horizontalAccuracy
        }
        #expect(try #require(try accuracy(isStandardDeviation: false)) < 2)
        #expect(try #require(try accuracy(isStandardDeviation: true)) > 5)
    }

    /// What is multiplied from the dilution of precision is a radius, or an axis, of 95 %.
    @Test func accuracyFromDOPIsOneOf95Percent() throws {
        func first(_ change: (inout Location) -> Void) throws -> Location {
            var journey = Journey()
            journey.go(10) {
                ($0.horizontalAccuracy, $0.altitude, $0.verticalAccuracy) = (6, 400, 6)
                change(&$0)
            }
            return try #require(journey.last)
        }
        let stated = try first { _ in }
        let fromDOP = try first { $0.accuracyBasis = .fromDOP }
        let ellipse = try first {
            $0.accuracyBasis = .fromDOP
            $0.errorEllipse = ErrorEllipse(
                semiMajorAxis: 6, semiMinorAxis: 6, orientation: 0, isStandardDeviation: false)
        }
        #expect(try abs(#require(stated.horizontalAccuracy) - 6) < 0.05)
        #expect(try abs(#require(fromDOP.horizontalAccuracy) - 6 * 1.510 / 2.448) < 0.05)
        #expect(try abs(#require(ellipse.horizontalAccuracy) - 6 * 1.510 / 1.96) < 0.05)
        #expect(try abs(#require(stated.verticalAccuracy) - 6) < 0.05)
        #expect(try abs(#require(fromDOP.verticalAccuracy) - 6 / 1.96) < 0.05)
    }

    @Test func turnIsFollowedWithinAnEpoch() throws {
        var journey = Journey()
        for error in Journey.errors(30, 1) { journey.go(10, course: 0, error: error) }
        for course in [22.5, 45, 67.5, 90.0] {
            journey.go(10, course: course)
            #expect(try Journey.turned(#require(journey.last?.course), course) < 12)
        }
    }

    // MARK: Predictions

    @Test func movementGoesOnForTenSeconds() throws {
        var journey = Journey()
        for _ in 0..<30 { journey.go(15) }
        var before = try #require(journey.last?.horizontalAccuracy)
        for second in 1...10 {
            let prediction = try #require(journey.predicted(after: Double(second)))
            let truth = journey.place.coordinate(atDistance: 15 * Double(second), bearing: 90)
            #expect(prediction.coordinate.distance(to: truth) < 0.5)
            #expect(prediction.basis == .predicted && prediction.satellitesUsed == nil)
            let accuracy = try #require(prediction.horizontalAccuracy)
            #expect(accuracy > before)
            before = accuracy
            #expect(prediction.age(at: journey.now.advanced(bySeconds: Double(second))) == 0)
            let time = try #require(prediction.timestamp).seconds(since: try #require(journey.last?.timestamp))
            #expect(abs(time - Double(second)) < 1e-6)
        }
        #expect(before > 20, "a machine may do much within ten seconds: \(before) m")
        #expect(journey.predicted(after: 10.1) == nil)
        #expect(journey.predicted(after: -1) == nil && journey.predicted(after: 0) == nil)
    }

    /// A source may state the last second of the year 9999.
    @Test func predictionHasNoTimeThatCannotBeWritten() throws {
        var journey = Journey()
        for _ in 0..<5 { journey.go(15) { $0.timestamp = UTCTime("9999-12-31T23:59:59Z") } }
        #expect(journey.last?.timestamp != nil)
        #expect(try #require(journey.predicted(after: 0.4)).timestamp == UTCTime("9999-12-31T23:59:59.4Z"))
        #expect(try #require(journey.predicted(after: 2)).timestamp == nil)
    }

    /// A bend goes on for a while, and braking ends at a standstill.
    @Test func bendAndBrakingGoOn() throws {
        var journey = Journey()
        for second in 0..<20 { journey.go(10, course: Double(second) * 10) }
        let bend = try #require(journey.predicted(after: 2)?.course)
        #expect((195...215).contains(bend), "\(bend)")
        var braking = Journey()
        for _ in 0..<10 { braking.go(14) }
        for speed in [12.0, 9, 6, 3] { braking.go(speed) }
        let end = try #require(braking.predicted(after: 8))
        let distance = end.coordinate.distance(to: braking.place)
        #expect(end.speed == 0 && distance < 6, "\(distance)")
    }

    // MARK: Places and times

    /// A receiver that says neither speed nor course.
    @Test(arguments: [(89.9999, 10.0), (-89.9999, 0), (0.0, 179.9999), (60, -179.9999), (90.0, 0), (0, 0)])
    func noPlaceIsSpecial(latitude: Double, longitude: Double) throws {
        var journey = Journey(latitude: latitude, longitude: longitude)
        let start = journey.place
        // Straight on, which no course describes near a pole.
        for (index, error) in Journey.errors(60, 1).enumerated() {
            journey.stand(at: start.coordinate(atDistance: 20 * Double(index), bearing: 45), error: error)
            #expect(journey.last?.horizontalAccuracy?.isFinite == true && journey.error(of: journey.last) < 6)
        }
        #expect(journey.error(of: journey.last) < 4)
        let prediction = try #require(journey.predicted(after: 3))
        #expect(prediction.coordinate.distance(to: start.coordinate(atDistance: 20 * 62, bearing: 45)) < 8)
    }

    /// A way of many planes, with the receiver's own course: 900 km across the pole's neighbourhood.
    @Test func longWayHasNoSteps() throws {
        var journey = Journey(latitude: 80, longitude: 20)
        for _ in 0..<1800 {
            journey.go(250, course: 10) { $0.course = 10 }
            #expect(journey.error(of: journey.last) < 5)
        }
    }

    @Test(arguments: [0.04, 0.1, 1, 5, 10, 30.0])
    func anyRateIsServed(interval: Double) throws {
        var journey = Journey()
        let errors = Journey.errors(Int(max(40, min(400, 60 / interval))), 1)
        for error in errors { journey.go(10, for: interval, error: error) }
        let last = try #require(journey.last)
        #expect(journey.error(of: last) < 3)
        #expect(try #require(last.horizontalAccuracy) <= 3.1)
    }

    /// Repeated, running back, without a date, a week off, and stuck: arrival counts then.
    @Test func strangeTimesDoNoHarm() throws {
        var journey = Journey()
        let start = UTCTime(seconds: 1_772_366_400)
        let times: [UTCTime?] = [
            start, start, start.advanced(bySeconds: -30), nil, start.advanced(bySeconds: 604_800),
            start.advanced(bySeconds: 604_801), start, nil,
        ]
        for round in 0..<10 {
            for time in times {
                journey.go(10) { $0.timestamp = time }
                #expect(journey.error(of: journey.last) < 3, "round \(round), \(String(describing: time))")
            }
        }
    }

    /// Their times are not subtracted from one another: the step is that of arrival.
    @Test func clocksOfTwoReceiversMayDiffer() throws {
        var journey = Journey()
        for (index, error) in Journey.errors(40, 2).enumerated() {
            journey.go(10, error: error) {
                guard index % 2 == 1 else { return }
                $0.source = SourceInformation(name: "gpsd", device: "/dev/gps1")
                $0.timestamp = $0.timestamp?.advanced(bySeconds: 5)
            }
            if index > 10 { #expect(journey.error(of: journey.last) < 4) }
        }
        #expect(try #require(journey.last?.horizontalAccuracy) < 2.5)
    }

    @Test func longPauseBeginsAnew() throws {
        var journey = Journey()
        for _ in 0..<20 { journey.go(20) }
        journey.go(20, for: 120)
        #expect(journey.error(of: journey.last) < 1e-6)
        #expect(try abs(#require(journey.last?.horizontalAccuracy) - 3) < 0.05)
    }

    // MARK: Bad input

    /// The receiver's new place is believed with its second fix, and no place between the two is told.
    @Test func jumpIsNoWay() throws {
        var journey = Journey()
        for _ in 0..<30 { journey.go(10) }
        for count in 0..<5 {
            journey.go(10, error: (0, 3000))
            let distance = journey.error(of: journey.last)
            #expect(count == 0 ? distance < 30 : abs(distance - 3000) < 30, "\(count): \(distance)")
        }
    }

    @Test func alternatingPlacesMakeTheAccuracyWorse() throws {
        var journey = Journey()
        for index in 0..<60 { journey.go(0, error: (index % 2 == 0 ? 0 : 100, 0)) { $0.course = nil } }
        #expect(try #require(journey.last?.horizontalAccuracy) > 30)
    }

    /// A receiver that states 1 m, and says two places 50 m apart.
    @Test func alarmIsSoonAndEnds() throws {
        var journey = Journey()
        journey.accuracy = 1
        for index in 0..<16 { journey.go(10, error: (0, index > 5 && index % 2 == 0 ? 50 : 0)) }
        #expect(try #require(journey.last?.horizontalAccuracy) > 15)
        for _ in 0..<40 { journey.go(10) }
        #expect(try #require(journey.last?.horizontalAccuracy) < 4)
    }

    @Test func rougherSourceMovesItLittle() throws {
        var journey = Journey()
        for _ in 0..<30 { journey.go(0) { $0.course = nil } }
        journey.go(0, error: (400, 0)) {
            ($0.horizontalAccuracy, $0.source) = (800, SourceInformation(name: "nearby", method: .network))
            ($0.speed, $0.speedAccuracy, $0.course) = (nil, nil, nil)
        }
        #expect(journey.error(of: journey.last) < 20)
    }

    @Test(arguments: [nil, 0, 1e-9, 1e6, 1e9])
    func everyAccuracyIsTaken(accuracy: Double?) throws {
        var journey = Journey()
        journey.accuracy = accuracy
        for error in Journey.errors(40, 1) { journey.go(5, error: error) }
        for estimate in journey.estimates {
            #expect((estimate.horizontalAccuracy == nil) == (accuracy == nil))
            #expect(estimate.horizontalAccuracy?.isFinite ?? true)
            #expect(estimate.coordinate.distance(to: journey.place) < 300)
        }
    }

    /// The circle is never smaller than the best fixes would make it if nothing moved.
    @Test func accuracyIsNeverBelowWhatIsMeasured() throws {
        var journey = Journey()
        for (index, error) in Journey.errors(200, 2).enumerated() {
            journey.go(index % 3 == 0 ? 0 : 8, course: Double(index), error: error)
            let least = 3 / Double(index + 1).squareRoot()
            #expect(try #require(journey.last?.horizontalAccuracy) >= least * 0.999)
        }
    }

    @Test func heightIsSmoothedAndItsTwinFollows() throws {
        var journey = Journey()
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<120 {
            let height = 400 + Double.random(in: -6...6, using: &generator)
            journey.go(10) {
                ($0.altitude, $0.ellipsoidalAltitude, $0.verticalAccuracy) = (height, height + 47, 4)
                ($0.climb, $0.climbAccuracy) = (0, 0.2)
            }
        }
        let last = try #require(journey.last)
        let (altitude, ellipsoidal) = (try #require(last.altitude), try #require(last.ellipsoidalAltitude))
        #expect(abs(altitude - 400) < 2.5 && abs(ellipsoidal - altitude - 47) < 1e-9)
        #expect(try #require(last.verticalAccuracy) < 4 && abs(#require(last.climb)) < 0.3)
        var flat = Journey()
        flat.go(10)
        #expect(flat.last?.altitude == nil && flat.last?.climb == nil && flat.last?.verticalAccuracy == nil)
    }
}
