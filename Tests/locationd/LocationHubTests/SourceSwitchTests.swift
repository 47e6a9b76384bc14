import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// One source switched off and on by an administrator.
@Suite struct SourceSwitchTests {
    private func server(_ sources: Int = 3, delay: Double = 5) -> ServerDouble {
        ServerDouble(sources: sources) {
            $0.failoverDelay = delay
            $0.linger = 4
            $0.failoverHysteresis = 2
        }
    }

    private func set(_ server: inout ServerDouble, _ rank: Int, _ enabled: Bool) {
        server.perform(server.hub.setSource("source\(rank)", enabled: enabled, at: server.now))
    }

    private func status(_ server: ServerDouble) -> ServiceStatus { server.hub.status(for: .granted, at: server.now) }

    @Test func theNextSourceTakesItsPlaceAtOnce() {
        var server = server()
        _ = server.watch()
        server.fixes(3)
        set(&server, 0, false)
        #expect(server.switchedOff == ["source0"])
        #expect(server.depths == [1, 2], "the second runs, and not the first")
        #expect(server.hub.condition(of: 0) == nil)
        #expect(status(server).source != .tracking)
        server.fix("/dev/b", rank: 1)
        #expect(status(server).source == .tracking)
        #expect(status(server).sourceName == "source1")
        let first = status(server).sources?.first
        #expect(first?.state == .stopped)
        #expect(first?.reason?.contains("`sudo locctl source source0 on`") == true)
    }

    @Test func whatAStoppedSourceStillSendsIsIgnored() {
        var server = server()
        let id = server.watch()
        set(&server, 0, false)
        server.fix(rank: 0)
        #expect(server.sequences(id) == [])
        #expect(server.hub.counters.fixes == 0)
    }

    /// It starts beside the one that serves, and takes over as a preferred source does.
    @Test func aSourceThatIsSwitchedOnTakesOverWhenItHasAFix() {
        var server = server()
        _ = server.watch()
        set(&server, 0, false)
        server.fixes(3, "/dev/b", rank: 1)
        set(&server, 0, true)
        #expect(server.switchedOff == [])
        #expect(status(server).sourceName == "source1", "the other goes on")
        for _ in 0..<8 {
            server.fix("/dev/a", rank: 0)
            server.fix("/dev/b", rank: 1)
            server.pass(1)
        }
        #expect(status(server).sourceName == "source0")
        #expect(server.depths == [1, 2, 1])
    }

    @Test func aMiddleSourceIsPassedOver() {
        var server = server()
        set(&server, 1, false)
        _ = server.watch()
        #expect(server.depths == [1])
        server.pass(5)
        #expect(server.depths == [1, 3], "the third is next")
        server.fix("/dev/b", rank: 1)
        #expect(server.hub.counters.fixes == 0)
        server.fix("/dev/c", rank: 2)
        #expect(status(server).sourceName == "source2")
    }

    @Test func withoutAnySourceWatchesAndRequestsAreToldWhy() {
        var server = server(1)
        let id = server.watch()
        server.fixes(2)
        server.request(1) { $0.requiredAccuracy = 0.5 }
        set(&server, 0, false)
        #expect(server.demands == [true, false])
        #expect(server.statuses(id).last?.source == .unavailable)
        #expect(server.statuses(id).last?.reason?.contains("`sudo locctl source source0 on`") == true)
        guard case .unavailable(let reason, let best)? = server.answer(1) else {
            Issue.record("a request that would wait in vain is answered")
            return
        }
        #expect(reason.contains("switched off"))
        #expect(best != nil)
        server.request(2)
        #expect(server.answer(2) != nil)
        set(&server, 0, true)
        #expect(server.demands == [true, false, true])
        #expect(server.statuses(id).last?.source == .starting)
        #expect(server.statuses(id).last?.reason == nil)
    }

    @Test func itStaysOffWhenTheListChanges() {
        var server = server(2)
        set(&server, 1, false)
        _ = server.watch()
        server.perform(server.hub.replaceSources(["source1", "other"], at: server.now))
        #expect(server.hub.switchedOffSources == ["source1"])
        server.fix("/dev/a", rank: 0)
        #expect(server.hub.counters.fixes == 0)
        server.fix("/dev/b", rank: 1)
        #expect(server.hub.counters.fixes == 1)
    }

    @Test func anUnknownNameAndARepetitionChangeNothing() {
        var server = server()
        _ = server.watch()
        #expect(server.hub.setSource("nothing", enabled: false, at: server.now) == [])
        #expect(server.hub.setSource("source0", enabled: true, at: server.now) == [])
        #expect(server.depths == [1])
    }

    @Test func aRestartFindsItOff() {
        let hub = Hub(
            settings: HubSettings(), sources: ["a", "b"], switchedOff: ["a"], isEnabled: true, sequenceStart: 0,
            lastLocation: nil, at: BootInstant(seconds: 1))
        #expect(hub.switchedOffSources == ["a"])
    }
}
