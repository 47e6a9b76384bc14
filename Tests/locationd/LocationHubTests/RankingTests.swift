import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// Clients with full accuracy are told which source serves, and why the preferred ones do not.
@Suite struct RankingTests {
    private func status(_ server: ServerDouble, _ permission: Permission = .granted) -> ServiceStatus {
        server.hub.status(for: permission, at: server.now)
    }

    @Test func everySourceTellsItsOwnStateAndReason() throws {
        var server = ServerDouble(sources: 4)
        _ = server.watch()
        server.tell(.condition(.unavailable(reason: "nothing listens")), rank: 0)
        server.tell(.condition(.connected(reason: "no receiver")), rank: 1)
        server.fix("/dev/c", rank: 2)
        server.pass(2)
        server.fix("/dev/d", rank: 3)
        server.pass(1.5)
        let status = status(server)
        #expect(status.sourceName == "source3")
        #expect(
            try #require(status.sources) == [
                RankedSource(name: "source0", state: .unavailable, reason: "nothing listens"),
                RankedSource(name: "source1", state: .searching, reason: "no receiver"),
                RankedSource(
                    name: "source2", state: .lost,
                    reason: "/dev/c has stopped sending fixes; check its power and cable", fixAge: 3.5),
                RankedSource(name: "source3", state: .tracking, fixAge: 1.5),
            ])
    }

    @Test func sourceThatDoesNotRunIsStopped() throws {
        var server = ServerDouble(sources: 2) { $0.failoverDelay = 5 }
        _ = server.watch()
        server.fix()
        #expect(try #require(status(server).sources).map(\.state) == [.tracking, .stopped])
    }

    @Test func loneSourceIsNamedAndNotRanked() {
        var server = ServerDouble()
        _ = server.watch()
        #expect(status(server).sourceName == nil)
        server.fix()
        #expect(status(server).sourceName == "source0")
        #expect(status(server).sources == nil)
    }

    @Test func injectedFixIsNamedForWhatItIs() {
        var server = ServerDouble(sources: 2)
        _ = server.watch()
        server.fix()
        server.fix(nil, rank: Hub.injectedRank) { $0.source = SourceInformation(name: "simulate", method: .simulated) }
        #expect(status(server).sourceName == "simulate")
    }

    @Test func anotherSourceIsNewsForThoseAloneWhoSeeEverything() {
        var server = ServerDouble(sources: 2)
        let id = server.watch()
        let others = [
            server.watch(.denied), server.watch(Permission(.authorizedAlways, accuracy: .reduced)),
            server.watch(Permission(.notDetermined)),
        ]
        server.fix("/dev/a")
        server.fix("/dev/b", rank: 1)
        server.clear()
        server.tell(.noFix(device: "/dev/a"))
        #expect(server.statuses(id).map(\.sourceName) == ["source1"])
        #expect(server.states(id) == [.tracking])
        for other in others {
            #expect(server.updates(other).isEmpty, "not even the moment is told")
        }
        for permission in [Permission.denied, Permission(.authorizedAlways, accuracy: .reduced)] {
            #expect(status(server, permission).sourceName == nil && status(server, permission).sources == nil)
        }
    }

    @Test func troubleOfASourceThatDoesNotServeIsNoNews() {
        var server = ServerDouble(sources: 2)
        let id = server.watch()
        server.fix("/dev/a")
        server.clear()
        server.tell(.condition(.unavailable(reason: "gone")), rank: 1)
        server.fix("/dev/b", rank: 1)
        server.tell(.noFix(device: "/dev/b"), rank: 1)
        #expect(server.updates(id).isEmpty)
        #expect(status(server).sources?.last?.reason == "gone", "the status has it")
    }
}
