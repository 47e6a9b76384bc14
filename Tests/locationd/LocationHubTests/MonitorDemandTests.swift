import LocationHub
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import Testing

/// When monitors have the sources run.
@Suite struct MonitorDemandTests {
    @Test func farFromEveryBorderTheSourcesRest() throws {
        var server = ServerDouble()
        let id = try server.monitor([.circle("far", metresEast: 60_000)])
        #expect(server.demands == [true])
        server.pass(3)
        server.stay(metresEast: 0, fixes: 2)
        server.pass(10)
        #expect(server.demands == [true, false], "the linger is over")
        let asleep = server.now
        while !server.isDemanded, let deadline = server.hub.nextDeadline {
            server.pass(deadline.seconds(since: server.now))
        }
        // 59.9 km at 100 m/s.
        #expect((550...610).contains(server.now.seconds(since: asleep)))
        server.fix()
        server.pass(10)
        #expect(!server.isDemanded)
        server.end(id)
        server.pass(10_000)
        #expect(!server.isDemanded)
    }

    @Test func nearABorderTheSourcesRunWhileTheMachineMoves() throws {
        var server = ServerDouble()
        _ = try server.monitor()
        for second in 0..<120 { server.stay(metresEast: second.isMultiple(of: 2) ? 300 : 250, fixes: 1) }
        #expect(server.demands == [true])
    }

    @Test func passiveOrForbiddenMonitorsStartNothing() throws {
        var server = ServerDouble()
        let passive = try server.monitor { $0.passive = true }
        _ = try server.monitor([.home], .denied)
        server.pass(100_000)
        #expect(server.demands.isEmpty)
        #expect(server.hub.nextDeadline == nil)
        // Others' fixes serve it for nothing.
        _ = server.watch()
        server.stay(metresEast: 0)
        #expect(server.reports(passive) == ["home unknown", "home inside"])
    }

    @Test func searchThatFindsNothingPausesLongerAndLonger() throws {
        var server = ServerDouble { $0.linger = 0 }
        _ = try server.monitor()
        var spans: [Double] = []
        var since = server.now
        var wasOn = true
        while spans.count < 12, let deadline = server.hub.nextDeadline {
            server.pass(deadline.seconds(since: server.now))
            guard server.isDemanded != wasOn else { continue }
            wasOn.toggle()
            spans.append(server.now.seconds(since: since))
            since = server.now
        }
        #expect(spans == [120, 120, 120, 240, 120, 480, 120, 900, 120, 900, 120, 900])
        // Somebody else's fix shows that there is something to be had again.
        let watch = server.watch()
        server.fix(metresEast: 200)
        server.end(watch)
        #expect(server.isDemanded)
        server.pass(119)
        #expect(server.isDemanded)
    }

    @Test func newMonitorSearchesAtOnce() throws {
        var server = ServerDouble { $0.linger = 0 }
        _ = try server.monitor()
        server.pass(130)
        #expect(!server.isDemanded)
        _ = try server.monitor()
        #expect(server.isDemanded)
    }

    @Test func reducedMonitorAsksNoSoonerThanItIsShownSomethingNew() throws {
        var server = try ServerDouble.reducing { $0.linger = 0 }
        let id = try server.monitor([.circle("city", metresEast: 3000, radius: 2000)], .roughly)
        #expect(server.demands == [true])
        server.fix()
        #expect(server.demands == [true, false])
        server.pass(595)
        #expect(server.demands == [true, false])
        server.pass(10)
        #expect(server.demands == [true, false, true])
        server.end(id)
        #expect(server.demands == [true, false, true, false])
    }

    @Test func dueFixWhileSwitchedOffWaits() throws {
        var server = ServerDouble()
        _ = try server.monitor()
        server.setEnabled(false)
        server.pass(10_000)
        #expect(!server.isDemanded && server.hub.nextDeadline == nil)
        server.setEnabled(true)
        #expect(server.isDemanded)
    }
}
