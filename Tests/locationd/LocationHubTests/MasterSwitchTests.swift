import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct MasterSwitchTests {
    @Test func switchingOffStopsAtOnceWithoutLinger() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix()
        server.clear()
        server.setEnabled(false)
        #expect(server.demands == [true, false])
        #expect(server.statuses(id).map(\.enabled) == [false], "it is told once")
        #expect(server.states(id) == [.stopped])
        #expect(server.hub.watchCount == 1)
        server.fix { $0.speed = 1 }
        #expect(server.locations(id).isEmpty)
    }

    @Test func switchingOnResumesForTheWatchesThatStayed() {
        var server = ServerDouble()
        let id = server.watch()
        server.setEnabled(false)
        server.clear()
        server.setEnabled(true)
        #expect(server.demands == [true, false, true])
        #expect(server.statuses(id).map(\.enabled) == [true])
        #expect(server.states(id) == [.starting])
        server.fix()
        #expect(server.sequences(id) == [1])
    }

    @Test func switchingToTheSameIsNothing() {
        var server = ServerDouble()
        let id = server.watch()
        server.clear()
        server.setEnabled(true)
        #expect(server.updates(id).isEmpty)
    }

    @Test func idleSwitchIsToldToo() {
        var server = ServerDouble()
        let id = server.watch(.denied)
        server.clear()
        server.setEnabled(false)
        server.setEnabled(true)
        #expect(server.statuses(id).map(\.enabled) == [false, true])
        #expect(server.demands.isEmpty)
    }

    @Test func watchOpenedWhileOffGetsNoLocationAndMakesNoDemand() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        server.setEnabled(false)
        let id = server.watch()
        #expect(server.locations(id).isEmpty)
        #expect(server.statuses(id).map(\.enabled) == [false])
        #expect(server.demands == [true, false])
        #expect(server.hub.freshLocation(at: server.now) == nil)
    }

    @Test func heldLocationIsForgottenAndCounted() {
        var server = ServerDouble()
        let id = server.watch()
        server.stalled = [id]
        server.fixes(3)
        server.setEnabled(false)
        server.clear()
        server.read(id)
        #expect(server.locations(id).isEmpty)
        #expect(server.updates(id).map(\.dropped) == [2])
        #expect(server.hub.counters.dropped == 2)
        server.setEnabled(true)
        server.pass(1)
        server.fix()
        #expect(server.sequences(id) == [4])
    }

    @Test func requestsAreAnsweredDisabled() {
        var server = ServerDouble()
        server.request(1)
        server.setEnabled(false)
        #expect(server.answer(1) == .disabled)
        server.request(2) { $0.maximumAge = 1e9 }
        #expect(server.answer(2) == .disabled)
        #expect(server.hub.requestCount == 0)
        #expect(server.hub.nextDeadline == nil)
    }
}
