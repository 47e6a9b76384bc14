import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Watches that pause while the machine is stationary.
@Suite struct PauseTests {
    private func server(_ change: (inout HubSettings) -> Void = { _ in }) -> ServerDouble {
        ServerDouble {
            $0.linger = 0
            $0.pauseInterval = 60
            change(&$0)
        }
    }

    /// The receiver, which sends a fix a second once it has run for five, as time passes.
    /// - Returns: for how many seconds it ran.
    @discardableResult private func live(
        _ server: inout ServerDouble, seconds: Int, metresEast: (Int) -> Double = { _ in 0 }
    ) -> Int {
        var onTime = 0
        for second in 0..<seconds {
            server.pass(1)
            guard server.isDemanded, let began = server.demandChanges.last?.time else { continue }
            onTime += 1
            if server.now.seconds(since: began) >= 5 { server.fix(metresEast: metresEast(second)) }
        }
        return onTime
    }

    /// Whether the client believes that its watch is paused.
    private func isPaused(_ server: ServerDouble, _ id: WatchID) -> Bool {
        server.statuses(id).last?.paused == true
    }

    @Test func itPausesAfterTwoMinutes() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 124)
        #expect(!isPaused(server, id))
        live(&server, seconds: 1)
        #expect(isPaused(server, id))
        #expect(server.statuses(id).last?.source == .tracking)
        #expect(server.statuses(id).last?.reason == "the watch is paused while the machine is stationary")
        #expect(server.updates(id).last?.status != nil, "the last location was sent before")
        #expect(server.demands == [true, false])
    }

    @Test(arguments: [
        (ActivityType.fitness, 60), (.other, 120), (.automotiveNavigation, 300), (.otherNavigation, 300),
        (.airborne, 300),
    ]) func activitySaysAfterHowLong(_ activity: ActivityType, _ delay: Int) {
        var server = server()
        let id = server.watch {
            $0.pausesAutomatically = true
            $0.activityType = activity
        }
        live(&server, seconds: delay + 4)
        #expect(!isPaused(server, id))
        live(&server, seconds: 1)
        #expect(isPaused(server, id))
    }

    /// Nobody looks whether the machine still stands there.
    @Test func stayIsForgottenWhenThePausedWatchEnds() {
        var server = server()
        let passive = server.watch { $0.passive = true }
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 130)
        #expect(isPaused(server, id) && server.statuses(passive).last?.stationary == true)
        server.end(id)
        server.pass(120)
        #expect(server.statuses(passive).last?.stationary != true)
    }

    @Test func withoutTheOptionItDoesNotPause() {
        var server = server()
        let id = server.watch()
        live(&server, seconds: 1000)
        #expect(server.statuses(id).allSatisfy { $0.paused == nil })
        #expect(server.demands == [true])
    }

    @Test func receiversAreStartedEveryMinuteAndNothingIsSent() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 130)
        server.clear()
        let onTime = live(&server, seconds: 3600)
        #expect(server.updates(id).isEmpty)
        #expect((55...70).contains(server.demands.count { $0 } - 1), "\(server.demands.count)")
        #expect(onTime < 600, "\(onTime) s on")
        #expect(server.hub.status(for: .granted, at: server.now).stationary == true)
    }

    @Test func itResumesWithTheFirstLocationElsewhere() throws {
        var server = server()
        let id = server.watch {
            $0.pausesAutomatically = true
            $0.distanceFilter = 1000
        }
        live(&server, seconds: 200)
        #expect(isPaused(server, id))
        let began = server.now
        server.clear()
        live(&server, seconds: 100) { _ in 500 }
        let location = try #require(server.locations(id).first)
        #expect(location.monotonicTime.seconds(since: began) <= 60)
        #expect(!isPaused(server, id))
        #expect(server.updates(id).first?.status?.paused == nil, "the status comes first")
        #expect(server.statuses(id).last?.source == .tracking)
        #expect(server.locations(id).count == 1, "the filter begins anew")
    }

    /// Another watch keeps the receivers on, so that no loss of the fix makes the filter begin anew.
    @Test func itsFilterBeginsAnewWhileTheReceiversRunOn() {
        var server = server()
        let id = server.watch { ($0.pausesAutomatically, $0.distanceFilter) = (true, 1000) }
        _ = server.watch()
        live(&server, seconds: 200)
        #expect(isPaused(server, id))
        server.clear()
        live(&server, seconds: 10) { _ in 500 }
        #expect(server.demands == [true])
        #expect(!isPaused(server, id))
        #expect(server.locations(id).count == 1, "it is nearer than the filter to the one before the pause")
    }

    @Test func oneThatDoesNotPauseGetsEverything() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        let other = server.watch()
        live(&server, seconds: 300)
        #expect(isPaused(server, id))
        #expect(server.locations(other).count == 296)
        #expect(server.locations(id).count == 121)
        #expect(server.demands == [true])
        live(&server, seconds: 1) { _ in 100 }
        #expect(server.locations(id).count == 122)
    }

    @Test func oneThatBeginsLaterGetsOneLocation() {
        var server = server()
        _ = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 200)
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 10)
        #expect(server.locations(id).count == 1)
        #expect(isPaused(server, id))
    }

    @Test func aSearchInVainResumesIt() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 200)
        server.clear()
        server.pass(60)
        #expect(server.isDemanded)
        #expect(server.updates(id).isEmpty)
        server.pass(120)
        #expect(server.statuses(id).map(\.paused) == [nil])
        #expect(server.statuses(id).last?.source != .tracking)
        #expect(server.isDemanded, "an ordinary watch goes on searching")
        server.pass(5)
        server.fix()
        #expect(server.locations(id).count == 1)
    }

    @Test func aSearchForABetterFixIsNone() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        _ = server.watch {
            $0.interval = 3600
            $0.requiredAccuracy = 1
        }
        live(&server, seconds: 600)
        #expect(server.statuses(id).map(\.paused).last == true)
        #expect(server.statuses(id).count { $0.paused == true } == 1, "it does not resume in between")
    }

    @Test func theSwitchEndsThePause() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 200)
        server.clear()
        server.setEnabled(false)
        #expect(server.statuses(id).map(\.enabled) == [false])
        #expect(server.statuses(id).map(\.paused) == [nil])
        server.setEnabled(true)
        live(&server, seconds: 10)
        #expect(server.locations(id).count == 6)
    }

    @Test func sleepEndsThePause() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 200)
        server.clear()
        server.perform(server.hub.prepareForSleep(at: server.now))
        #expect(server.statuses(id).map(\.paused) == [nil])
        #expect(server.statuses(id).last?.reason == "the machine is going to sleep")
        server.perform(server.hub.resume(at: server.now))
        live(&server, seconds: 10)
        #expect(server.locations(id).count == 6)
    }

    @Test func aDeniedClientIsToldAndNoMore() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 200)
        server.clear()
        server.permit(.denied, id)
        #expect(server.statuses(id).map(\.authorization) == [.denied])
        #expect(server.statuses(id).last?.paused == nil)
        live(&server, seconds: 200)
        #expect(server.locations(id).isEmpty)
        #expect(!server.isDemanded)
    }

    @Test func reducedAccuracyDoesNotPause() {
        var generator = SeededGenerator(seed: 1)
        let reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator))
        var server = ServerDouble(reduction: reduction) { $0.linger = 0 }
        let id = server.watch(Permission(.authorizedAlways, accuracy: .reduced)) { $0.pausesAutomatically = true }
        live(&server, seconds: 1000)
        #expect(server.statuses(id).allSatisfy { $0.paused == nil })
        #expect(server.demands == [true])
    }

    @Test func anIntervalIsLongerThanThePausesChecks() {
        var server = server()
        let id = server.watch {
            $0.pausesAutomatically = true
            $0.interval = 600
        }
        live(&server, seconds: 3000)
        #expect(server.demands.count { $0 } <= 6)
        #expect(!server.locations(id).isEmpty)
    }

    @Test func theIntervalOfTheConfigurationCounts() {
        var server = server { $0.pauseInterval = 300 }
        _ = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 3130)
        #expect((9...12).contains(server.demands.count { $0 }), "\(server.demands.count)")
    }

    @Test func aPausedClientThatIsBehindIsToldInOrder() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 120)
        server.stalled.insert(id)
        live(&server, seconds: 30)
        server.pass(60)
        live(&server, seconds: 10) { _ in 300 }
        server.read(id)
        #expect(!isPaused(server, id))
        #expect(server.locations(id).last?.coordinate != Coordinate.start)
    }

    @Test func theEndOfAPausedWatchStopsTheReceivers() {
        var server = server()
        let id = server.watch { $0.pausesAutomatically = true }
        live(&server, seconds: 200)
        server.end(id)
        let count = server.demands.count
        live(&server, seconds: 1000)
        #expect(!server.isDemanded)
        #expect(server.demands.count <= count + 1)
    }
}
