import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// Sources that are chosen for the accuracy that clients desire.
@Suite struct DesiredAccuracyTests {
    private func server() -> ServerDouble {
        ServerDouble(sources: 3) {
            $0.failoverDelay = 5
            $0.failoverHysteresis = 2
            $0.linger = 5
        }
    }

    /// A fix a second of each source that runs, with these accuracies by rank.
    private func live(_ server: inout ServerDouble, seconds: Int, _ accuracies: [Double?]) {
        for _ in 0..<seconds {
            server.pass(1)
            for (rank, accuracy) in accuracies.enumerated() where rank < server.depths.last ?? 0 {
                server.fix("/dev/gps\(rank)", rank: rank) { $0.horizontalAccuracy = accuracy }
            }
        }
    }

    private func followed(_ server: ServerDouble) -> String? {
        server.hub.status(for: .granted, at: server.now).sourceName
    }

    @Test func withoutIt() {
        var server = server()
        _ = server.watch()
        live(&server, seconds: 60, [50, 5, 1])
        #expect(server.depths == [1])
        #expect(followed(server) == "source0")
    }

    @Test func theFirstThatIsAsAccurateIsFollowed() {
        var server = server()
        let id = server.watch { $0.desiredAccuracy = 10 }
        live(&server, seconds: 5, [50, 5, 1])
        #expect(followed(server) == "source0")
        live(&server, seconds: 20, [50, 5, 1])
        #expect(server.depths == [1, 2], "the third is not needed")
        #expect(followed(server) == "source1")
        #expect(server.locations(id).last?.horizontalAccuracy == 5)
    }

    /// Who sees the ranking is not to wait for a source that is not going to take over.
    @Test func theStatusSaysWhyTheHigherRankIsNotUsed() {
        var server = server()
        let id = server.watch { $0.desiredAccuracy = 10 }
        func reasons() -> [String?] {
            (server.hub.status(for: .granted, at: server.now).sources ?? []).map(\.reason)
        }
        live(&server, seconds: 4, [50, 5, 1])
        #expect(reasons() == [nil, nil, nil], "the followed one needs no reason")
        live(&server, seconds: 21, [50, 5, 1])
        #expect(followed(server) == "source1")
        #expect(reasons() == ["it is less accurate than a program desires", nil, nil])
        live(&server, seconds: 1, [9, 5, 1])
        #expect(followed(server) == "source1")
        #expect(reasons() == [nil, nil, nil], "it takes over once that is stable")
        live(&server, seconds: 1, [50, 50, 1])
        #expect(reasons() == [nil, nil, nil], "none has it, so the rank decides")
        live(&server, seconds: 20, [50, 5, 1])
        server.end(id)
        _ = server.watch()
        live(&server, seconds: 1, [50, 5, 1])
        #expect(reasons() == [nil, nil, nil])
    }

    @Test func whereNoneIsAsAccurateTheRankDecides() {
        var server = server()
        let id = server.watch { $0.desiredAccuracy = 0.01 }
        live(&server, seconds: 60, [50, 5, nil])
        #expect(server.depths == [1, 2, 3])
        #expect(followed(server) == "source0")
        #expect(server.locations(id).count == 60, "nothing is held back")
    }

    @Test func theHigherRankReturnsWhenItIsAsAccurateAgain() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 10 }
        live(&server, seconds: 20, [50, 5, 1])
        live(&server, seconds: 2, [9, 5, 1])
        #expect(followed(server) == "source1", "it has to be as accurate for the hysteresis")
        live(&server, seconds: 1, [50, 5, 1])
        live(&server, seconds: 2, [9, 5, 1])
        #expect(followed(server) == "source1", "without a break")
        live(&server, seconds: 1, [9, 5, 1])
        #expect(followed(server) == "source0")
        live(&server, seconds: 10, [9, 5, 1])
        #expect(server.depths == [1, 2, 1], "the other is not needed any more")
    }

    @Test func theSmallestOfAllCountsAndNoneAfterItsEnd() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        let strict = server.watch { $0.desiredAccuracy = 3 }
        live(&server, seconds: 30, [50, 5, 1])
        #expect(followed(server) == "source2")
        server.end(strict)
        live(&server, seconds: 20, [50, 5, 1])
        #expect(followed(server) == "source0")
        #expect(server.depths == [1, 2, 3, 1])
    }

    @Test func whoMayNotSeeEveryFixChoosesNothing() {
        var server = server()
        _ = server.watch(.denied) { $0.desiredAccuracy = 3 }
        _ = server.watch()
        live(&server, seconds: 30, [50, 5, 1])
        #expect(server.depths == [1])
    }

    @Test func anInjectedLocationStays() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 3 }
        live(&server, seconds: 3, [50, 5, 1])
        for _ in 0..<20 {
            server.pass(1)
            for rank in 0..<(server.depths.last ?? 0) {
                server.fix("/dev/gps\(rank)", rank: rank) { $0.horizontalAccuracy = 1 }
            }
            server.fix("by hand", rank: Hub.injectedRank) { $0.horizontalAccuracy = 500 }
        }
        #expect(followed(server) == "gpsd", "the injector's name")
    }

    @Test func twoReceiversOfOneSource() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 10 }
        for _ in 0..<5 {
            server.pass(1)
            server.fix("/dev/coarse") { $0.horizontalAccuracy = 50 }
            server.fix("/dev/fine") { $0.horizontalAccuracy = 2 }
        }
        #expect(server.hub.lastLocation?.source.device == "/dev/fine")
    }
}
