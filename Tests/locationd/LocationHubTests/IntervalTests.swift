import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
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
            guard server.isDemanded, let began = server.demandChanges.last?.time else { continue }
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
        #expect(server.demands == [true, false], "the other had its location at the beginning")
        _ = live(&server, seconds: 480)
        #expect(server.demands == [true, false])
        _ = live(&server, seconds: 40)
        #expect(server.demands == [true, false, true, false], "its next location was due then")
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
        #expect(server.locations(id).map(\.horizontalAccuracy) == [80])
        #expect(server.locations(id).first?.monotonicTime.seconds(since: server.demandChanges[0].time) == 15)
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
        #expect(server.locations(id).count == 1, "the watch has had its location")
        _ = live(&server, seconds: 530)
        #expect(server.locations(id).count == 1)
        _ = live(&server, seconds: 15)
        #expect(server.locations(id).count == 2, "and gets the next when it is due")
    }

    /// `count` locations in so many seconds of a receiver that runs on.
    private func expectOneInEach(_ interval: Double, of server: inout ServerDouble, _ id: WatchID, seconds: Int) {
        let before = server.locations(id).count
        _ = live(&server, seconds: seconds, start: 0)
        let count = server.locations(id).count - before
        #expect(abs(Double(count) - Double(seconds) / interval) <= 1, "\(count) in \(seconds) s")
        let gaps = gaps(server, id)
        #expect(gaps.allSatisfy { (interval - 1.5...interval + 1.5).contains($0) }, "\(gaps)")
    }

    @Test(arguments: [5, 20, 33, 600]) func oneLocationInEachIntervalWhateverTheReceiverDoes(_ interval: Double) {
        var server = server()
        _ = server.watch()
        server.fix()
        let id = server.watch { $0.interval = interval }
        #expect(server.locations(id).count == 1, "the fresh one")
        expectOneInEach(interval, of: &server, id, seconds: 1300)
    }

    @Test(arguments: [3, 10, 20]) func oneLocationInEachIntervalWithoutARest(_ interval: Double) {
        var server = server()
        let id = server.watch { $0.interval = interval }
        expectOneInEach(interval, of: &server, id, seconds: 200)
    }

    /// The receivers start as early as a start has taken; one that takes less must not be waited for, nor what it finds
    /// be lost.
    @Test func aFixThatIsEarlyBecauseTheReceiversStartedEarlyIsTheLocation() {
        var server = server()
        let id = server.watch { $0.interval = 120 }
        _ = live(&server, seconds: 240, start: 30)
        let before = server.locations(id).count
        _ = live(&server, seconds: 600, start: 1)
        let late = gaps(server, id).dropFirst(before)
        #expect(server.locations(id).count >= before + 5)
        #expect(late.allSatisfy { (85...120).contains($0) }, "\(late)")
    }

    @Test func anEarlyFixIsNotNearerThanTheLeastInterval() {
        var server = server()
        let id = server.watch {
            $0.interval = 120
            $0.minimumInterval = 115
        }
        _ = live(&server, seconds: 1200, start: 1)
        #expect(server.locations(id).count >= 10)
        #expect(gaps(server, id).allSatisfy { (115...121.5).contains($0) }, "\(gaps(server, id))")
    }

    @Test func everySourceIsNotSpaced() {
        var server = server()
        let id = server.watch { ($0.interval, $0.everySource) = (20, true) }
        _ = live(&server, seconds: 30)
        #expect(server.locations(id).count > 20)
    }

    private static let noRest = "the receivers keep running: "

    /// The start is unknown at first: 10 s, 2 s more for safety, and 20 s of rest.
    @Test(arguments: [(5, true), (20, true), (31, true), (33, false), (600, false)])
    func aWatchIsToldThatItsIntervalLeavesNoRest(_ interval: Double, _ isTold: Bool) {
        var server = server()
        let id = server.watch { $0.interval = interval }
        let other = server.watch()
        let passive = server.watch { $0.passive = true }
        _ = live(&server, seconds: 11, start: 10)
        #expect((server.statuses(id).last?.reason?.hasPrefix(Self.noRest) ?? false) == isTold)
        #expect(server.statuses(id).last?.source == .tracking)
        if isTold { #expect(server.statuses(id).last?.reason?.contains("\(Int(interval)) s between two") == true) }
        for other in [other, passive] {
            #expect(server.statuses(other).last?.reason == nil, "it is that watch's affair")
        }
        let later = server.watch { $0.interval = interval }
        #expect((server.statuses(later).last?.reason?.hasPrefix(Self.noRest) ?? false) == isTold, "at once, too")
    }

    @Test func itIsToldOnceAStartIsShortEnough() {
        var server = server()
        let id = server.watch { $0.interval = 30 }
        _ = server.watch()
        server.fix { $0.horizontalAccuracy = 80 }
        #expect(server.statuses(id).last?.reason?.hasPrefix(Self.noRest) == true)
        server.fix()
        #expect(server.statuses(id).last?.source == .tracking)
        #expect(server.statuses(id).last?.reason == nil)
    }

    @Test func itsAccuracyIsTheFirstReason() {
        var server = server()
        let id = server.watch { ($0.interval, $0.requiredAccuracy) = (20, 1) }
        _ = live(&server, seconds: 20)
        #expect(server.locations(id).isEmpty)
        #expect(server.statuses(id).last?.reason?.contains("this watch requires 1 m") == true)
    }

    /// Who sees a fix only now and then is not sent more than it wants of them.
    @Test func aPaceAndAnIntervalGoTogether() {
        var server = server()
        _ = server.watch()
        var permission = Permission.granted
        permission.pace = Pace(principal: "uid:1000", interval: 3)
        let id = server.watch(permission) { $0.interval = 60 }
        _ = live(&server, seconds: 600, start: 0)
        #expect((9...14).contains(server.locations(id).count), "\(server.locations(id).count)")
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
        server.perform(server.hub.addWatch(request, permission: .granted, account: 1, at: server.now) { _ in })
        server.fix()
        server.perform(server.hub.addWatch(WatchRequest(), permission: .granted, account: 2, at: server.now) { _ in })
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
