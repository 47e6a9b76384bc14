import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// A receiver (`source0`) is spared while a source that costs hardly any power (`source1`) is as accurate as all
/// desire.
@Suite struct PowerChoiceTests {
    private func server(delay: Double = 5) -> ServerDouble {
        ServerDouble(sources: 2, lowPower: ["source1"]) {
            $0.failoverDelay = delay
            $0.linger = 4
            $0.failoverHysteresis = 0
        }
    }

    /// Network positions, one each second.
    private func network(_ server: inout ServerDouble, _ seconds: Int, accuracy: Double = 40) {
        for _ in 0..<seconds {
            server.fix(nil, rank: 1) { $0.horizontalAccuracy = accuracy }
            server.pass(1)
        }
    }

    private func status(_ server: ServerDouble) -> ServiceStatus { server.hub.status(for: .granted, at: server.now) }

    @Test func whoIsSatisfiedWithLittleStartsNoReceiver() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        #expect(server.switchedOff == ["source0"] && server.depths == [2])
        network(&server, 60)
        #expect(server.switchedOff == ["source0"] && status(server).sourceName == "source1")
        let receiver = status(server).sources?.first
        #expect(receiver?.state == .stopped && receiver?.reason?.hasPrefix("it is not needed") == true)
        #expect(server.hub.sparedTime(at: server.now) == 60)
        #expect(server.hub.switchedOffSources == [], "no administrator has switched it off")
    }

    @Test func whoWantsTheBestStartsItAndItRestsAfterwards() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 10)
        let best = server.watch()
        #expect(server.switchedOff == [], "the network goes on beside it, until the receiver has a fix")
        server.fix(nil, rank: 1) { $0.horizontalAccuracy = 40 }
        server.fix(rank: 0)
        #expect(status(server).sourceName == "source0")
        server.perform(server.hub.endWatch(best, at: server.now))
        server.pass(3.9)
        #expect(server.switchedOff == [])
        server.pass(0.2)
        #expect(server.switchedOff == ["source0"])
        network(&server, 1)
        #expect(status(server).sourceName == "source1")
    }

    @Test func anInaccurateNetworkStartsTheReceiver() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 4, accuracy: 101)
        #expect(server.switchedOff == ["source0"])
        network(&server, 2, accuracy: 101)
        #expect(server.switchedOff == [])
        // Not again soon, though it has become better; then it is tried.
        for _ in 0..<590 {
            server.fix(rank: 0)
            server.pass(1)
        }
        #expect(server.switchedOff == [])
        for _ in 0..<12 {
            server.fix(rank: 0)
            server.pass(1)
        }
        #expect(server.switchedOff == ["source0"])
    }

    @Test func whoDesiresLessThanWhatFailedIsServed() {
        var server = server()
        let watch = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 6, accuracy: 300)
        #expect(server.switchedOff == [])
        server.perform(server.hub.endWatch(watch, at: server.now))
        server.pass(60)
        _ = server.watch { $0.desiredAccuracy = 500 }
        #expect(server.switchedOff == ["source0"])
    }

    @Test func aSilentNetworkStartsTheReceiver() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 20)
        #expect(server.switchedOff == ["source0"])
        server.pass(60)
        #expect(server.switchedOff == [])
    }

    @Test func requestsCountByTheAccuracyThatTheyRequire() {
        var server = server()
        server.request(1) { $0.requiredAccuracy = 100 }
        #expect(server.switchedOff == ["source0"])
        network(&server, 1)
        #expect(server.answers[RequestID(number: 1)] != nil)
        server.pass(60)
        server.request(2)
        #expect(server.switchedOff == [])
    }

    @Test func whoWantsSatellitesWantsTheReceiver() {
        var server = server()
        _ = server.watch {
            $0.desiredAccuracy = 100
            $0.satellites = true
        }
        network(&server, 10)
        #expect(server.switchedOff == [])
    }

    @Test func sourcesAreToldWhatSuffices() {
        var server = server()
        let watch = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 3)
        _ = server.watch { $0.desiredAccuracy = 50 }
        let best = server.watch()
        network(&server, 3)
        server.perform(server.hub.endWatch(best, at: server.now))
        server.perform(server.hub.endWatch(watch, at: server.now))
        #expect(server.desiredAccuracies == [100, 50, nil, 50])
    }

    @Test func searchForRegionsWantsTheReceiver() throws {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 10)
        #expect(server.switchedOff == ["source0"])
        _ = try server.monitor([.home])
        #expect(server.switchedOff == [])
    }

    @Test func whoWantsEverySourceGetsEveryOne() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 10)
        _ = server.watch { $0.everySource = true }
        #expect(server.switchedOff == [])
    }

    @Test func sourcesThatComeOrGoAreNoneThatIsSpared() {
        var server = server()
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 3)
        server.perform(server.hub.setSource("source1", enabled: false, at: server.now))
        #expect(server.switchedOff == ["source1"], "the receiver is the only one left")
        server.perform(server.hub.setSource("source1", enabled: true, at: server.now))
        server.pass(60)
        server.perform(server.hub.replaceSources(["source0"], at: server.now))
        #expect(server.switchedOff == [])
    }

    @Test func whereAllSourcesRunNoneIsSpared() {
        var server = server(delay: 0)
        _ = server.watch { $0.desiredAccuracy = 100 }
        network(&server, 60)
        #expect(server.switchedOff == [] && server.hub.sparedTime(at: server.now) == 0)
    }

    /// Whatever comes: nobody who wants the best is left to the network alone, and no receiver is spared for long
    /// without a position.
    @Test(arguments: 0..<20)
    func nobodyGetsLessThanIsDesired(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var server = server()
        var watches: [(id: WatchID, accuracy: Double?)] = []
        var unserved = 0.0
        for _ in 0..<2000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where watches.count < 5:
                let accuracy: Double? =
                    Bool.random(using: &random) ? [50, 100, 500].randomElement(using: &random) : nil
                watches.append((server.watch { $0.desiredAccuracy = accuracy }, accuracy))
            case 1 where !watches.isEmpty:
                let index = Int.random(in: watches.indices, using: &random)
                server.perform(server.hub.endWatch(watches.remove(at: index).id, at: server.now))
            case 2...4:
                let accuracy = Double.random(in: 10...600, using: &random)
                server.fix(nil, rank: 1) { $0.horizontalAccuracy = accuracy }
            case 5, 6: server.fix(rank: 0) { $0.horizontalAccuracy = 5 }
            default: break
            }
            let isSpared = server.switchedOff.contains("source0")
            let wanted = watches.compactMap(\.accuracy).min()
            #expect(!isSpared || watches.allSatisfy { $0.accuracy != nil }, "seed \(seed)")
            let isServed =
                server.hub.freshLocation(at: server.now)?.horizontalAccuracy.map { $0 <= wanted ?? .infinity } ?? false
            unserved = isSpared && !watches.isEmpty && !isServed ? unserved + 1 : 0
            // The delay, and the step of a second.
            #expect(unserved <= 7, "seed \(seed)")
            server.pass(1)
        }
    }
}
