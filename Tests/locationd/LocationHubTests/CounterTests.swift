import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// What the hub counts for whoever watches over it.
@Suite struct CounterTests {
    @Test func timeToFirstFixIsToldOncePerRun() {
        var server = ServerDouble { $0.linger = 0 }
        #expect(server.hub.consumeTimeToFirstFix() == nil)
        let first = server.watch()
        server.pass(12.5)
        #expect(server.hub.consumeTimeToFirstFix() == nil, "still searching")
        server.fix()
        #expect(server.hub.consumeTimeToFirstFix() == 12.5)
        #expect(server.hub.consumeTimeToFirstFix() == nil)
        server.fixes(3)
        #expect(server.hub.consumeTimeToFirstFix() == nil)
        server.end(first)
        server.pass(100)
        _ = server.watch()
        server.pass(0.25)
        server.fix()
        #expect(server.hub.consumeTimeToFirstFix() == 0.25)
    }

    @Test func newSourcesSearchAnew() {
        var server = ServerDouble()
        _ = server.watch()
        server.pass(1)
        server.perform(server.hub.replaceSources(ServerDouble.names(1), at: server.now))
        server.pass(2)
        server.fix()
        #expect(server.hub.consumeTimeToFirstFix() == 2)
    }

    @Test func injectedFixEndsNoSearch() {
        var server = ServerDouble()
        _ = server.watch()
        server.pass(1)
        server.fix(nil, rank: Hub.injectedRank)
        #expect(server.hub.consumeTimeToFirstFix() == nil)
        server.pass(1)
        server.fix()
        #expect(server.hub.consumeTimeToFirstFix() == 2)
    }

    @Test func fixesAndRepeatsAreCountedBySource() {
        var server = ServerDouble(sources: 2)
        _ = server.watch { $0.everySource = true }
        for rank in [0, 1, 1, Hub.injectedRank] {
            server.fix("/dev/gps\(rank)", rank: rank)
            server.fix("/dev/gps\(rank)", rank: rank)
            server.pass(1)
        }
        #expect(server.hub.counters.fixesByRank == [0: 1, 1: 2, -1: 1])
        #expect(server.hub.counters.repeatsByRank == [0: 1, 1: 2, -1: 1])
        server.perform(server.hub.replaceSources(ServerDouble.names(2), at: server.now))
        #expect(server.hub.counters.fixesByRank == [-1: 1], "the new ones begin at 0")
        #expect(server.hub.counters.repeatsByRank == [-1: 1])
        #expect(server.hub.counters.fixes == 4)
        #expect(server.hub.counters.repeats == 4)
    }

    @Test func overflowIsCountedWhileSomebodyListens() {
        var server = ServerDouble()
        server.loseFixes(5)
        #expect(server.hub.counters.overflowed == 0, "nobody wanted them")
        _ = server.watch()
        server.loseFixes(3)
        server.loseFixes(4)
        #expect(server.hub.counters.overflowed == 7)
    }
}
