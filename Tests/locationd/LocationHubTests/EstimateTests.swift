import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Who receives estimates, when they come, and what is said when they end.
@Suite struct EstimateTests {
    private static let reduced = Permission(.authorizedAlways, accuracy: .reduced)

    private func server(sources: Int = 1) -> ServerDouble {
        var generator = SeededGenerator(seed: 7)
        let now = BootInstant(seconds: 1000)
        return ServerDouble(
            sources: sources,
            reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator)), at: now)
    }

    /// A machine that moves to the east, with a fix each second.
    private func drive(_ server: inout ServerDouble, from start: Double = 0, seconds: Int, speed: Double = 15) {
        for second in 0..<seconds {
            if second > 0 || start > 0 { server.pass(1) }
            server.fix(metresEast: start + Double(second) * speed) {
                ($0.speed, $0.speedAccuracy, $0.course) = (speed, 0.2, 90)
            }
        }
    }

    @Test func whoAsksIsSentEstimatesAndNobodyElse() throws {
        var server = server()
        let plain = server.watch()
        let estimating = server.watch { $0.estimate = true }
        let rough = server.watch(Self.reduced) { $0.estimate = true }
        let other = server.watch(Self.reduced)
        drive(&server, seconds: 20)
        #expect(server.locations(plain).count == 20 && server.locations(plain).allSatisfy { $0.basis == nil })
        let estimates = server.locations(estimating)
        #expect(estimates.map(\.sequence) == server.sequences(plain))
        #expect(estimates.allSatisfy { $0.basis == .filtered })
        #expect(server.locations(rough) == server.locations(other) && !server.locations(rough).isEmpty)
        #expect(server.locations(rough).allSatisfy { $0.basis == nil && $0.speed == nil })
    }

    @Test func rateLimitIsNoEstimate() {
        var server = server()
        var permission = Permission.granted
        permission.pace = Pace(principal: "uid:1000", interval: 5)
        let paced = server.watch(permission) { $0.estimate = true }
        drive(&server, seconds: 11)
        #expect(server.sequences(paced) == [1, 6, 11])
        #expect(server.locations(paced).allSatisfy { $0.basis == nil })
    }

    @Test func filtersAreForTheEstimate() {
        var server = server()
        let id = server.watch { ($0.estimate, $0.distanceFilter, $0.maximumUpdates) = (true, 25, 3) }
        drive(&server, seconds: 30)
        let updates = server.updates(id)
        #expect(server.locations(id).count == 3 && updates.last?.isFinal == true)
        for (one, next) in zip(server.locations(id), server.locations(id).dropFirst()) {
            #expect(one.coordinate.distance(to: next.coordinate) >= 25)
        }
    }

    @Test func openingIsAnEstimateToo() throws {
        var server = server()
        let first = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        let second = server.watch { $0.estimate = true }
        #expect(server.locations(second) == [try #require(server.locations(first).last)])
        server.end(first)
        server.end(second)
        let plain = server.watch()
        drive(&server, from: 150, seconds: 2)
        let late = server.watch { $0.estimate = true }
        let opening = try #require(server.locations(late).first)
        // Nothing has gathered fixes meanwhile.
        let fix = try #require(server.locations(plain).last)
        #expect(opening.basis == .filtered && opening.coordinate.distance(to: fix.coordinate) < 1e-6)
    }

    @Test func movementIsPredictedForTenSecondsAndThenTheStatusSaysSo() throws {
        var server = server()
        let plain = server.watch()
        let estimating = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.states(plain) == [.lost])
        server.pass(9.9)
        let predictions = server.locations(estimating)
        #expect(predictions.count == 9 && predictions.allSatisfy { $0.basis == .predicted })
        #expect(predictions.map(\.sequence) == Array(11...19))
        #expect(server.states(estimating).isEmpty, "there is a position")
        #expect(server.locations(plain).isEmpty)
        for (one, next) in zip(predictions, predictions.dropFirst()) {
            #expect(next.monotonicTime.seconds(since: one.monotonicTime) == 1)
            #expect(try #require(next.horizontalAccuracy) > #require(one.horizontalAccuracy))
            #expect(abs(one.coordinate.distance(to: next.coordinate) - 15) < 0.5)
        }
        server.pass(60)
        #expect(server.states(estimating) == [.lost], "then it has ended")
        #expect(server.locations(estimating).count == 9)
        #expect(server.states(plain) == [.lost])
    }

    /// Without a word from the receiver, a prediction waits until a fix is late.
    @Test func fixThatIsLateIsReplaced() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.clear()
        server.pass(1.4)
        #expect(server.locations(id).isEmpty)
        server.pass(0.2)
        #expect(server.locations(id).map(\.basis) == [.predicted])
        server.fix(metresEast: 159) { ($0.speed, $0.speedAccuracy, $0.course) = (15, 0.2, 90) }
        #expect(server.locations(id).map(\.basis) == [.predicted, .filtered])
        #expect(server.states(id).isEmpty)
    }

    @Test func fixThatComesBackNeedsNoStatus() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(3.5)
        drive(&server, from: 200, seconds: 3)
        #expect(
            server.locations(id).map(\.basis) == Array(repeating: .predicted, count: 4)
                + Array(repeating: .filtered, count: 3))
        #expect(server.states(id).allSatisfy { $0 == .tracking })
        server.pass(8)
        #expect(server.states(id).allSatisfy { $0 == .tracking })
    }

    @Test func standingMachineHasNoPredictionsAndHearsAtOnce() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 20, speed: 0)
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.states(id) == [.lost])
        server.pass(20)
        #expect(server.locations(id).isEmpty)
    }

    @Test func switchedOffServiceEndsPredictions() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(2)
        server.clear()
        server.setEnabled(false)
        #expect(server.states(id) == [.stopped])
        server.pass(20)
        #expect(server.locations(id).isEmpty)
        server.setEnabled(true)
        server.pass(20)
        #expect(server.locations(id).isEmpty)
    }

    @Test func nobodyWhoMayNotKnowHearsAnything() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.tell(.noFix(device: "/dev/gps0"))
        server.permit(.denied, id)
        server.clear()
        server.pass(20)
        #expect(server.locations(id).isEmpty)
        let rough = server.watch { $0.estimate = true }
        server.permit(Self.reduced, rough)
        server.clear()
        drive(&server, from: 150, seconds: 3)
        #expect(server.locations(rough).allSatisfy { $0.basis == nil && $0.speed == nil })
    }

    /// A fix of an earlier time, a few metres away: nothing but its time speaks against it.
    @Test func implausibleFixNeverEnters() throws {
        var server = ServerDouble { $0.plausibility.timeTolerance = 2 }
        let id = server.watch { $0.estimate = true }
        let plain = server.watch()
        drive(&server, seconds: 10)
        server.clear()
        server.pass(1)
        let time = try #require(Location.fix(at: server.now).timestamp)
        server.fix(metresEast: 158) {
            ($0.speed, $0.speedAccuracy, $0.course, $0.timestamp) = (15, 0.2, 90, time.advanced(bySeconds: -60))
        }
        #expect(server.locations(id).isEmpty && server.locations(plain).isEmpty)
        server.pass(1)
        server.fix(metresEast: 165) { ($0.speed, $0.speedAccuracy, $0.course) = (15, 0.2, 90) }
        let place = Coordinate.start.coordinate(atDistance: 165, bearing: 90)
        #expect(try #require(server.locations(id).last?.coordinate).distance(to: place) < 3)
    }

    // MARK: Ends

    /// The timer is late, and the permission ends meanwhile.
    @Test func nothingIsPredictedUnderAFormerPermission() {
        var server = server()
        let ids = [server.watch { $0.estimate = true }, server.watch { $0.estimate = true }]
        let other = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.clear()
        server.pass(1.4)
        server.now = server.now.advanced(bySeconds: 0.3)
        for id in ids { server.permit(.denied, id) }
        for id in ids { #expect(server.locations(id).isEmpty) }
        server.pass(0.1)
        #expect(server.locations(other).map(\.basis) == [.predicted])
    }

    /// A receiver says that it has no fix as often as it would have one.
    @Test func lossThatIsRepeatedMakesNoMorePredictions() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.clear()
        for _ in 0..<90 {
            server.tell(.noFix(device: "/dev/gps0"))
            server.pass(0.1)
        }
        #expect((8...9).contains(server.locations(id).count))
    }

    @Test func whoWantsALocationInEachIntervalIsSentNoPredictions() {
        var server = server()
        let id = server.watch { ($0.estimate, $0.interval) = (true, 60) }
        let other = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(20)
        #expect(server.locations(other).contains { $0.basis == .predicted })
        #expect(server.locations(id).allSatisfy { $0.basis == .filtered })
    }

    @Test func sourceThatIsSwitchedOffIsNotPredicted() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(2.5)
        server.clear()
        server.perform(server.hub.setSource("source0", enabled: false, at: server.now))
        #expect(server.states(id).last == .unavailable)
        server.pass(20)
        #expect(server.locations(id).isEmpty)
        #expect(server.states(id).allSatisfy { $0 == .unavailable })
    }

    @Test func filterForgetsItsLocationWhenPredictionsEnd() {
        var server = server()
        let id = server.watch { ($0.estimate, $0.distanceFilter) = (true, 100) }
        drive(&server, seconds: 10)
        let before = server.locations(id).count
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(9.5)
        // As far as the filter wants, and not with the first of them.
        #expect(server.locations(id).count == before + 1)
        server.pass(10)
        server.fix(metresEast: 320) { ($0.speed, $0.speedAccuracy, $0.course) = (15, 0.2, 90) }
        #expect(server.locations(id).last?.basis == .filtered, "the first after a loss is sent at any distance")
    }

    @Test func watchThatOpensMeanwhileHasThePositionToo() {
        var server = server()
        let first = server.watch { $0.estimate = true }
        drive(&server, seconds: 10)
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(3)
        let second = server.watch { $0.estimate = true }
        let plain = server.watch()
        #expect(server.states(second) == [.tracking] && server.states(plain) == [.lost])
        server.clear()
        server.pass(20)
        #expect(server.locations(second) == server.locations(first) && !server.locations(second).isEmpty)
        #expect(server.states(second) == [.lost] && server.states(first) == [.lost])
    }

    /// Slow enough for the car's estimator to have no prediction, as it has no way to go on.
    @Test func eachEstimatorHasItsOwnEnd() throws {
        var server = server()
        let id = server.watch { ($0.estimate, $0.requiredAccuracy) = (true, 8) }
        drive(&server, seconds: 10)
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(9)
        // That the predictions get too rough for it is no loss of the fix.
        #expect(server.states(id).allSatisfy { $0 == .tracking })
        server.pass(5)
        #expect(server.states(id).last == .lost)
    }

    @Test func nobodyIsLeftToPredictFor() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        let plain = server.watch()
        drive(&server, seconds: 10)
        server.end(id)
        server.pass(5)
        drive(&server, from: 300, seconds: 1)
        #expect(server.sequences(plain).suffix(2) == [10, 11], "no number is used up")
    }

    /// The other receiver stands elsewhere by its own error: the estimate goes there by its accuracy, not at once.
    @Test func changeOfSourceIsBlended() throws {
        var server = server(sources: 2)
        let id = server.watch { $0.estimate = true }
        func tell(_ rank: Int, _ metres: Double, _ accuracy: Double) {
            server.fix("/dev/gps\(rank)", rank: rank, metresEast: metres) {
                ($0.horizontalAccuracy, $0.speed, $0.speedAccuracy) = (accuracy, 0.1, 0.1)
            }
        }
        for _ in 0..<30 {
            tell(0, 0, 3)
            server.pass(1)
        }
        server.tell(.noFix(device: "/dev/gps0"))
        var last = try #require(server.locations(id).last)
        for _ in 0..<20 {
            tell(1, 40, 60)
            server.pass(1)
            let next = try #require(server.locations(id).last)
            #expect(last.coordinate.distance(to: next.coordinate) < 5)
            last = next
        }
        #expect(last.source.name == "gpsd" && server.sequences(id).count == 50)
    }

    @Test func requestIsAnsweredWithAnEstimate() throws {
        var server = server()
        server.request(1) { ($0.estimate, $0.timeout) = (true, 20) }
        server.request(2) { $0.timeout = 20 }
        server.request(3, Self.reduced) { ($0.estimate, $0.timeout) = (true, 20) }
        server.fix { ($0.speed, $0.course) = (3, 10) }
        #expect(server.answer(1)?.location?.basis == .filtered)
        #expect(server.answer(2)?.location?.basis == nil && server.answer(2)?.location != nil)
        #expect(server.answer(3)?.location?.basis == nil && server.answer(3)?.location != nil)
        server.request(4) { ($0.estimate, $0.maximumAge) = (true, 60) }
        #expect(server.answer(4)?.location?.basis == .filtered)
    }

    @Test func activityChoosesTheEstimator() throws {
        var server = server()
        let driving = server.watch { $0.estimate = true }
        let walking = server.watch {
            ($0.estimate, $0.activityType, $0.distanceFilter, $0.minimumInterval) = (true, .fitness, 0, 0)
        }
        for second in 0..<30 {
            if second > 0 { server.pass(1) }
            server.fix(metresEast: Double(second) + (second % 2 == 0 ? 2 : -2))
        }
        let (car, person) = (server.locations(driving), server.locations(walking))
        #expect(car.count == 30 && person.map(\.sequence) == car.map(\.sequence))
        #expect(try #require(person.last?.horizontalAccuracy) < #require(car.last?.horizontalAccuracy))
    }

    @Test func clientThatIsBehindGetsTheNewest() {
        var server = server()
        let id = server.watch { $0.estimate = true }
        server.stalled = [id]
        drive(&server, seconds: 10)
        server.read(id)
        #expect(server.locations(id).last?.sequence == 10)
        #expect(server.updates(id).map(\.dropped).reduce(0, +) == 8)
    }
}
