import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// The first source runs, and the others when they are needed.
@Suite struct StandbyTests {
    private func server(_ sources: Int = 3) -> ServerDouble {
        ServerDouble(sources: sources) {
            $0.failoverDelay = 5
            $0.linger = 4
            $0.failoverHysteresis = 2
        }
    }

    private func name(_ server: ServerDouble) -> String? {
        server.hub.status(for: .granted, at: server.now).sourceName
    }

    @Test func withoutAFixOneMoreIsStartedEachTime() {
        var server = server()
        _ = server.watch()
        server.pass(4.9)
        #expect(server.depths == [1])
        server.pass(0.2)
        #expect(server.depths == [1, 2])
        server.pass(5)
        #expect(server.depths == [1, 2, 3])
        server.pass(1000)
        #expect(server.depths == [1, 2, 3], "there are no more")
    }

    @Test func theDelayIsCountedFromTheLossOfTheFix() {
        var server = server()
        _ = server.watch()
        server.fixes(100)
        #expect(server.depths == [1])
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(4.9)
        #expect(server.depths == [1])
        server.pass(0.1)
        #expect(server.depths == [1, 2])
    }

    @Test func silenceIsALossAfterItsPatience() {
        var server = server()
        _ = server.watch()
        server.fixes(3)
        server.pass(3 + 4.9)
        #expect(server.depths == [1])
        server.pass(0.2)
        #expect(server.depths == [1, 2])
    }

    @Test func linkWithoutFixIsNoReasonToStay() {
        var server = server()
        _ = server.watch()
        server.tell(.condition(.connected(reason: nil)))
        for _ in 0..<6 {
            server.tell(.noFix(device: "/dev/gps0"))
            server.pass(1)
        }
        #expect(server.depths == [1, 2])
    }

    @Test func theLowerOneStopsWhenTheHigherHasServedForAWhile() {
        var server = server()
        let id = server.watch()
        server.pass(5)
        server.fix("/dev/b", rank: 1)
        #expect(name(server) == "source1")
        for _ in 0..<5 {
            server.pass(0.5)
            server.fix("/dev/a")
            server.fix("/dev/b", rank: 1)
        }
        #expect(name(server) == "source0", "it has lasted for the hysteresis")
        for _ in 0..<7 {
            server.pass(0.5)
            server.fix("/dev/a")
            server.fix("/dev/b", rank: 1)
        }
        #expect(server.depths == [1, 2])
        server.pass(0.5)
        server.fix("/dev/a")
        #expect(server.depths == [1, 2, 1])
        let before = server.hub.lastSequence
        server.fix("/dev/b", rank: 1)
        #expect(server.hub.lastSequence == before, "what a stopped source says counts for nothing")
        #expect(server.states(id).last == .tracking)
    }

    @Test func sourceThatComesAndGoesKeepsTheOthersRunning() {
        var server = server()
        _ = server.watch()
        server.pass(5)
        for _ in 0..<20 {
            server.fixes(4, "/dev/a")
            server.fix("/dev/b", rank: 1)
            server.tell(.noFix(device: "/dev/a"))
            server.pass(0.5)
        }
        #expect(server.depths == [1, 2])
    }

    @Test func whoWantsEverySourceGetsThem() {
        var server = server()
        _ = server.watch()
        let all = server.watch { $0.everySource = true }
        #expect(server.depths == [1, 3])
        server.fixes(10)
        #expect(server.depths == [1, 3])
        server.end(all)
        server.fixes(10)
        #expect(server.depths == [1, 3, 1])
    }

    @Test func whoMayNotSeeEverySourceCausesNone() {
        var server = server()
        _ = server.watch(.denied) { $0.everySource = true }
        #expect(server.depths.isEmpty)
        _ = server.watch(Permission(.authorizedAlways, accuracy: .reduced)) { $0.everySource = true }
        _ = server.watch {
            $0.everySource = true; $0.passive = true
        }
        #expect(server.depths == [1])
    }

    @Test func withoutDelayAllRunTogether() {
        var server = ServerDouble(sources: 3) { $0.failoverDelay = 0 }
        _ = server.watch()
        server.fixes(20)
        #expect(server.depths == [3])
    }

    @Test func injectedFixNeitherStartsNorStops() {
        var server = server()
        _ = server.watch()
        server.pass(5)
        for _ in 0..<20 {
            server.fix(nil, rank: Hub.injectedRank)
            server.pass(1)
        }
        #expect(server.depths == [1, 2])
    }

    @Test func endOfDemandAndReplacementBeginAnew() {
        var server = server()
        let id = server.watch()
        server.pass(12)
        server.end(id)
        server.pass(4)
        #expect(server.depths == [1, 2, 3, 0])
        _ = server.watch()
        server.pass(6)
        server.perform(server.hub.replaceSources(ServerDouble.names(2), at: server.now))
        #expect(server.depths == [1, 2, 3, 0, 1, 2, 1])
        server.pass(6)
        #expect(server.depths.last == 2)
    }
}
