import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct DemandTests {
    @Test func firstWatchStartsAndLastStopsAfterLinger() {
        var server = ServerDouble()
        let first = server.watch()
        let second = server.watch()
        #expect(server.demands == [true])
        server.end(first)
        server.pass(60)
        #expect(server.demands == [true])
        server.end(second)
        server.pass(4.999)
        #expect(server.demands == [true])
        server.pass(0.001)
        #expect(server.demands == [true, false])
        #expect(server.hub.nextDeadline == nil)
    }

    @Test func returnWithinLingerKeepsTheSourceRunning() {
        var server = ServerDouble()
        for _ in 0..<10 {
            let id = server.watch()
            server.pass(1)
            server.end(id)
            server.pass(4)
        }
        #expect(server.demands == [true])
        server.pass(1)
        #expect(server.demands == [true, false])
    }

    @Test func withoutLingerTheSourceStopsAtOnce() {
        var server = ServerDouble { $0.linger = 0 }
        let id = server.watch()
        server.end(id)
        #expect(server.demands == [true, false])
    }

    @Test(
        arguments: [
            { $0.passive = true }, { $0.location = false }, { _ in },
        ] as [@Sendable (inout WatchRequest) -> Void])
    func onlyNeedsMakeDemand(_ change: @Sendable (inout WatchRequest) -> Void) {
        var server = ServerDouble()
        var request = WatchRequest()
        change(&request)
        let needs = request == WatchRequest()
        _ = server.watch(request, .granted)
        #expect(server.isDemanded == needs)
        _ = server.watch(request, .denied)
        #expect(server.isDemanded == needs)
    }

    /// They are not for clients without full accuracy.
    @Test func headingOrSatellitesAloneAreNoReasonToRunForWhoIsNotTold() {
        var server = ServerDouble { $0.linger = 0 }
        let reduced = Permission(.authorizedAlways, accuracy: .reduced)
        let id = server.watch(reduced) {
            ($0.location, $0.heading, $0.satellites) = (false, true, true)
        }
        #expect(server.demands.isEmpty)
        server.permit(.granted, id)
        server.permit(reduced, id)
        #expect(server.demands == [true, false])
    }

    @Test func headingOrSatellitesAloneMakeDemand() {
        for path in [\WatchRequest.heading, \WatchRequest.satellites] {
            var server = ServerDouble()
            _ = server.watch {
                $0.location = false
                $0[keyPath: path] = true
            }
            #expect(server.demands == [true])
        }
    }

    @Test func restartedSourceHasNoFixYet() {
        var server = ServerDouble { $0.linger = 0 }
        let first = server.watch()
        server.fix()
        server.end(first)
        let id = server.watch()
        #expect(server.states(id) == [.stopped, .starting])
        server.tell(.condition(.connected(reason: nil)))
        #expect(server.states(id).last == .searching)
    }

    @Test func refreshTakesOneFixAndStops() {
        var server = ServerDouble { $0.refreshInterval = 300 }
        server.pass(299)
        #expect(server.demands.isEmpty)
        server.pass(1)
        #expect(server.demands == [true])
        server.pass(10)
        server.fix()
        #expect(server.demands == [true, false])
        #expect(server.hub.lastLocation?.sequence == 1)
        server.pass(299)
        #expect(server.demands == [true, false])
        server.pass(1)
        #expect(server.demands == [true, false, true])
    }

    @Test func refreshGivesUpAfterItsPatience() {
        var server = ServerDouble {
            $0.refreshInterval = 300
            $0.refreshTimeout = 60
        }
        server.pass(359.9)
        #expect(server.demands == [true])
        server.pass(0.1)
        #expect(server.demands == [true, false])
        server.pass(300)
        #expect(server.demands == [true, false, true])
    }

    @Test func watchDuringRefreshKeepsTheSourceRunning() {
        var server = ServerDouble { $0.refreshInterval = 300 }
        server.pass(310)
        let id = server.watch()
        server.fixes(3)
        #expect(server.demands == [true])
        #expect(server.sequences(id) == [1, 2, 3])
        server.end(id)
        server.pass(5)
        #expect(server.demands == [true, false])
    }

    @Test func noRefreshUnlessConfiguredOrWhileSwitchedOff() {
        var never = ServerDouble()
        never.pass(100_000)
        #expect(never.demands.isEmpty)
        var off = ServerDouble(isEnabled: false) { $0.refreshInterval = 300 }
        off.pass(100_000)
        #expect(off.demands.isEmpty)
        #expect(off.hub.nextDeadline == nil)
    }

    @Test func newSettingsActAtOnce() {
        var server = ServerDouble()
        server.pass(1000)
        var settings = server.hub.settings
        settings.refreshInterval = 300
        server.perform(server.hub.apply(settings, at: server.now))
        #expect(server.demands == [true])
    }
}
