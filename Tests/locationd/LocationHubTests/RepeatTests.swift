import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct RepeatTests {
    private func watched() -> (ServerDouble, WatchID) {
        var server = ServerDouble()
        let id = server.watch()
        return (server, id)
    }

    @Test func exactRepeatIsDropped() {
        var (server, id) = watched()
        let fix = Location.fix(at: server.now)
        server.tell(.fix(fix))
        server.pass(0.1)
        var again = fix
        again.monotonicTime = server.now
        server.tell(.fix(again))
        #expect(server.sequences(id) == [1])
        #expect(server.hub.counters.repeats == 1)
        #expect(server.hub.counters.dropped == 0)
    }

    @Test func changedValueAtTheSameTimeIsDelivered() {
        var (server, id) = watched()
        server.fix()
        server.fix { $0.speed = 2 }
        #expect(server.locations(id).map(\.speed) == [nil, 2])
    }

    @Test func sameWordsOfAnotherReceiverAreNoRepeat() {
        var server = ServerDouble()
        let every = server.watch { $0.everySource = true }
        server.fix("/dev/gps0")
        server.fix("/dev/gps1")
        #expect(server.sequences(every) == [1, 2])
    }

    @Test func repeatAfterALostFixIsNoNews() {
        var (server, id) = watched()
        let fix = Location.fix(at: server.now)
        server.tell(.fix(fix))
        server.tell(.noFix(device: "/dev/gps0"))
        server.tell(.fix(fix))
        #expect(server.sequences(id) == [1])
        #expect(server.states(id).suffix(2) == [.tracking, .lost])
        var next = fix
        next.speed = 1
        server.tell(.fix(next))
        #expect(server.sequences(id) == [1, 2])
        #expect(server.states(id).last == .tracking)
    }

    @Test func sameFixInAnotherRunOfTheSourceIsNews() {
        var (server, id) = watched()
        let fix = Location.fix(at: server.now)
        server.tell(.fix(fix))
        server.end(id)
        server.pass(6)
        let next = server.watch()
        var again = fix
        again.monotonicTime = server.now
        server.tell(.fix(again))
        #expect(server.sequences(next) == [2])
    }

    @Test func withoutTimeEveryFixCounts() {
        var (server, id) = watched()
        for _ in 0..<3 { server.fix { $0.timestamp = nil } }
        #expect(server.sequences(id) == [1, 2, 3])
    }
}
