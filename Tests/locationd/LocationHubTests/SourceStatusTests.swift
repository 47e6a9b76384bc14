import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct SourceStatusTests {
    @Test func conditionsBecomeStates() {
        var server = ServerDouble()
        let id = server.watch()
        server.clear()
        server.tell(.condition(.connecting(reason: "connection refused")))
        server.tell(.condition(.connected(reason: "no device")))
        server.tell(.condition(.unavailable(reason: "gpsd cannot be reached")))
        #expect(server.states(id) == [.starting, .searching, .unavailable])
        #expect(server.statuses(id).map(\.reason) == ["connection refused", "no device", "gpsd cannot be reached"])
        #expect(server.hub.condition(of: 0) == .unavailable(reason: "gpsd cannot be reached"))
        #expect(server.hub.condition(of: 1) == nil)
    }

    @Test func sameConditionIsNoNews() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        server.clear()
        server.tell(.condition(.connected(reason: nil)))
        server.tell(.condition(.connected(reason: nil)), rank: 7)
        server.tell(.condition(.unavailable(reason: "?")), rank: -1)
        #expect(server.updates(id).isEmpty)
    }

    @Test func bestConditionOfSeveralSourcesCounts() {
        var server = ServerDouble(sources: 3)
        let id = server.watch()
        server.tell(.condition(.unavailable(reason: "a")), rank: 0)
        #expect(server.states(id).last == .unavailable)
        server.tell(.condition(.connecting(reason: "b")), rank: 1)
        #expect(server.states(id).last == .starting)
        server.tell(.condition(.connected(reason: "c")), rank: 2)
        #expect(server.states(id).last == .searching)
        #expect(server.statuses(id).last?.reason == "c")
    }

    @Test func withoutSourcesThatIsTheReason() {
        var server = ServerDouble(sources: 0)
        let id = server.watch()
        #expect(server.states(id).last == .unavailable)
        #expect(server.statuses(id).last?.reason?.contains("no source") == true)
    }

    @Test func statesBeforeAndAfterTheFirstFixDiffer() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.states(id).last == .searching)
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.states(id).last == .lost)
        server.tell(.condition(.connecting(reason: "gone")))
        #expect(server.states(id).last == .lost)
        #expect(server.statuses(id).last?.reason == "gone")
    }

    @Test func reportedLossAndSilenceAreToldApart() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        let (loss, silence) = (
            "/dev/gps0 has lost its fix; a clear view of the sky helps",
            "/dev/gps0 has stopped sending fixes; check its power and cable"
        )
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.statuses(id).last?.reason == loss)
        server.pass(1)
        server.fix()
        server.pass(10)
        #expect(server.statuses(id).last?.reason == silence)
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.statuses(id).last?.reason == loss, "it sends again")
        server.pass(60)
        #expect(server.statuses(id).last?.reason == loss)
    }

    /// As when gpsd is started anew: the receiver, which gpsd opens then, may be in order.
    @Test func silenceAfterALostConnectionIsNotTheReceivers() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        server.fix()
        server.tell(.condition(.connecting(reason: "gone")))
        server.pass(10)
        #expect(server.statuses(id).last?.reason == "gone")
        server.tell(.condition(.connected(reason: nil)))
        let interrupted = "the connection with source0 was interrupted, and /dev/gps0 has sent no fix since"
        #expect(server.statuses(id).last?.source == .lost)
        #expect(server.statuses(id).last?.reason == interrupted)
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.statuses(id).last?.reason == "/dev/gps0 has lost its fix; a clear view of the sky helps")
        server.pass(1)
        server.fix()
        server.pass(60)
        #expect(server.statuses(id).last?.reason == "/dev/gps0 has stopped sending fixes; check its power and cable")
    }

    /// A network position has no cable, and no view of the sky.
    @Test func sourceWithoutAReceiverIsNamedItself() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        server.fix(nil)
        server.tell(.noFix(device: nil))
        #expect(server.statuses(id).last?.reason == "source0 has no position any more")
        server.pass(1)
        server.fix(nil)
        server.pass(60)
        #expect(server.statuses(id).last?.reason == "source0 has stopped sending positions")
    }

    @Test func replacedSourcesBeginAnew() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        server.fix()
        server.clear()
        server.perform(server.hub.replaceSources(ServerDouble.names(2), at: server.now))
        #expect(server.states(id) == [.starting])
        #expect(server.isDemanded)
        server.tell(.condition(.connected(reason: nil)), rank: 1)
        #expect(server.states(id).last == .searching, "the loss was another source's")
        #expect(server.hub.receiverReports.isEmpty)
    }

    @Test func whatComesAfterTheEndOfDemandIsIgnored() {
        var server = ServerDouble()
        let id = server.watch()
        server.end(id)
        server.pass(5)
        server.fix()
        server.tell(.condition(.connected(reason: nil)))
        #expect(server.hub.counters.fixes == 0)
        #expect(server.hub.status(for: .granted, at: server.now).source == .stopped)
    }

    @Test func anomaliesAreNobodysNews() {
        var server = ServerDouble()
        let id = server.watch()
        server.clear()
        server.tell(.anomaly(kind: "time", total: 3, example: "?"))
        #expect(server.updates(id).isEmpty)
    }
}
