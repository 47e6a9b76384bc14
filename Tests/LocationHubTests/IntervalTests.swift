import LocationHub
import LocationModel
import TestSupport
import Testing

/// Watches that want a location only every so often, between which the receivers rest.
@Suite struct IntervalTests {
    private func server(_ change: (inout HubSettings) -> Void = { _ in }) -> ServerDouble {
        ServerDouble {
            $0.linger = 0
            change(&$0)
        }
    }

    /// The receiver, which sends a fix a second once it has run for `start` seconds, as time passes.
    private func live(_ server: inout ServerDouble, seconds: Int, start: Double = 5, accuracy: Double = 5) -> Int {
        var onTime = 0
        for _ in 0..<seconds {
            server.pass(1)
            guard server.hub.isDemanded, let began = server.demandChanges.last?.time else { continue }
            onTime += 1
            if server.now.seconds(since: began) >= start { server.fix { $0.horizontalAccuracy = accuracy } }
        }
        return onTime
    }

    private func gaps(_ server: ServerDouble, _ id: WatchID) -> [Double] {
        let times = server.locations(id).map(\.monotonicTime)
        return zip(times, times.dropFirst()).map { $1.seconds(since: $0) }
    }

    @Test func receiversRestBetweenTwoLocations() {
        var server = server()
        let id = server.watch { $0.interval = 600 }
        let onTime = live(&server, seconds: 6000)
        #expect(server.locations(id).count >= 10)
        #expect(gaps(server, id).allSatisfy { (590...600).contains($0) }, "\(gaps(server, id))")
        #expect(onTime <= 110, "\(onTime) s on")
    }

    @Test func oneThatNeedsThemMoreOftenKeepsThemRunning() {
        var server = server()
        _ = server.watch { $0.interval = 600 }
        let other = server.watch()
        _ = live(&server, seconds: 100)
        #expect(server.demands == [true])
        server.end(other)
        #expect(server.demands == [true, false], "the location of the last second serves the other for a while")
        _ = live(&server, seconds: 500)
        #expect(server.demands == [true, false])
    }

    @Test func theShortestIntervalDecides() {
        var server = server()
        _ = server.watch { $0.interval = 3600 }
        let often = server.watch { $0.interval = 120 }
        _ = live(&server, seconds: 1200)
        #expect(server.locations(often).count >= 10)
        #expect(server.demands.count { $0 } <= 11)
    }

    @Test(arguments: [1, 5, 20]) func receiversDoNotRestForLittle(_ interval: Double) {
        var server = server()
        _ = server.watch { $0.interval = interval }
        _ = live(&server, seconds: 300)
        #expect(server.demands == [true])
    }

    @Test func theStartIsAsEarlyAsTheLastStartsNeeded() {
        var server = server()
        let id = server.watch { $0.interval = 300 }
        _ = live(&server, seconds: 1800, start: 40)
        let late = gaps(server, id).filter { $0 > 300 }
        #expect(late.isEmpty, "\(late)")
    }

    /// After a cold start of 45 s there would be no rest in a minute; the starts after it are shorter.
    @Test func aLongStartIsForgottenWhileTheReceiversKeepRunning() {
        var server = server()
        let id = server.watch { $0.interval = 60 }
        _ = live(&server, seconds: 340, start: 45)
        #expect(server.demands == [true])
        let onTime = live(&server, seconds: 1800, start: 5)
        #expect(onTime < 900, "\(onTime) s on")
        #expect(gaps(server, id).allSatisfy { $0 <= 60 })
    }

    /// The first fix may be far off.
    @Test func aPoorFixServesOnlyWhenItGetsNoBetter() {
        var server = server()
        let id = server.watch { $0.interval = 600 }
        _ = live(&server, seconds: 60, accuracy: 80)
        #expect(server.demands == [true, false])
        #expect(server.locations(id).count == 11, "ten seconds after the first")
        var own = self.server()
        _ = own.watch {
            $0.interval = 600
            $0.requiredAccuracy = 50
        }
        _ = live(&own, seconds: 60, accuracy: 80)
        #expect(own.demands == [true], "it is worse than the watch requires")
        own.fix { $0.horizontalAccuracy = 40 }
        #expect(own.demands == [true, false])
    }

    @Test func aSearchInVainEndsAndIsRepeated() {
        var server = server()
        _ = server.watch { $0.interval = 600 }
        server.pass(7200)
        #expect(server.demands.count { $0 } < 12)
        let total = server.hub.receiverTime(at: server.now).total
        #expect((120...1400).contains(total), "\(total) s")
        server.fix()
    }

    @Test func whoSeesTheSourcesIsToldThatTheyRest() {
        var server = server()
        let id = server.watch { $0.interval = 600 }
        let passive = server.watch { $0.passive = true }
        _ = live(&server, seconds: 30)
        for id in [id, passive] {
            #expect(server.statuses(id).last?.source == .stopped)
            #expect(server.statuses(id).last?.reason == "the receivers rest until the next location is due")
            #expect(!server.states(id).contains(.lost))
        }
        #expect(server.hub.publicStatus(at: server.now).source == .stopped)
        server.end(id)
        #expect(server.statuses(passive).last?.reason == nil, "nobody waits for the next one")
    }

    @Test func aRequestEndsTheRest() {
        var server = server()
        let id = server.watch { $0.interval = 600 }
        _ = live(&server, seconds: 60)
        server.request(1)
        #expect(server.demands.last == true)
        server.fix()
        #expect(server.demands.last == false)
        #expect(server.locations(id).count == 2, "its fix is for all")
        _ = live(&server, seconds: 590)
        #expect(server.locations(id).count == 2, "and the next is due an interval after it")
    }

    /// When they run for somebody else would show how far the machine is from that one's regions.
    @Test func withReducedAccuracyAnIntervalIsWithoutEffect() {
        var random = SeededGenerator(seed: 1)
        var server = ServerDouble(reduction: ReducedAccuracy(ReducedMemory(size: 2000, using: &random))) {
            $0.linger = 0
        }
        _ = server.watch(Permission(.authorizedAlways, accuracy: .reduced)) { $0.interval = 600 }
        _ = live(&server, seconds: 200)
        #expect(server.demands == [true])
    }

    @Test func aPermissionThatComesAndGoesIsFollowed() {
        var server = server()
        let id = server.watch(.denied) { $0.interval = 600 }
        #expect(server.demands == [])
        server.permit(.granted, id)
        #expect(server.demands == [true])
        _ = live(&server, seconds: 60)
        #expect(server.demands == [true, false])
        server.permit(.denied, id)
        _ = live(&server, seconds: 1200)
        #expect(server.demands == [true, false])
    }

    @Test func whatItsTimeIsIsItsOwn() {
        var server = server()
        var request = WatchRequest()
        request.interval = 600
        server.perform(server.hub.addWatch(request, permission: .granted, account: 1, at: server.now).1)
        server.fix()
        server.perform(server.hub.addWatch(WatchRequest(), permission: .granted, account: 2, at: server.now).1)
        _ = live(&server, seconds: 100)
        #expect(abs(server.hub.receiverTime(of: 2, at: server.now) - 100) < 1e-6)
        #expect(server.hub.receiverTime(of: 1, at: server.now) == 0, "it does not need them meanwhile")
    }

    @Test func theMachineSleepsInARest() {
        var server = server()
        let id = server.watch { $0.interval = 600 }
        _ = live(&server, seconds: 60)
        server.perform(server.hub.prepareForSleep(at: server.now))
        server.sleep(3600)
        server.perform(server.hub.resume(at: server.now))
        #expect(server.demands.last == true, "its location is overdue")
        _ = live(&server, seconds: 30)
        #expect(server.locations(id).count == 2)
    }

    @Test func theLastSuchWatchLeavesNothingBehind() {
        var server = server()
        let id = server.watch { $0.interval = 600 }
        _ = live(&server, seconds: 60)
        server.end(id)
        #expect(server.hub.nextDeadline == nil)
    }
}
