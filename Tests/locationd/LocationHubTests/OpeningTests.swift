import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct OpeningTests {
    @Test func firstReplyIsStatusAloneWhileNothingIsKnown() {
        var server = ServerDouble()
        let id = server.watch()
        let first = server.updates(id).first
        #expect(first?.status?.source == .stopped)
        #expect(first?.status?.authorization == .authorizedAlways)
        #expect(first?.status?.fixAge == nil)
        #expect(first?.location == nil)
        #expect(server.states(id) == [.stopped, .starting])
    }

    @Test func firstReplyHoldsStatusAndFreshLocation() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        server.pass(2.5)
        let id = server.watch()
        #expect(server.updates(id).count == 1)
        #expect(server.states(id) == [.tracking])
        #expect(server.statuses(id).first?.fixAge == 2.5)
        #expect(server.sequences(id) == [1])
    }

    @Test func staleLocationIsNotShownAsNew() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        server.pass(3)
        let id = server.watch()
        #expect(server.locations(id).isEmpty)
        #expect(server.statuses(id).first?.fixAge == 3)
    }

    @Test func locationOfEarlierRunIsShownOnlyWhileFresh() {
        let now = BootInstant(seconds: 1000)
        for (age, isShown) in [(2.0, true), (600, false)] {
            var server = ServerDouble(lastLocation: .fix(at: now.advanced(bySeconds: -age)), at: now)
            let id = server.watch()
            #expect(server.locations(id).count == (isShown ? 1 : 0))
            #expect(server.statuses(id).first?.fixAge == age)
        }
    }

    /// As after the machine has slept. Whoever comes first must not be told what then nobody corrects.
    @Test func statusBeforeALateTimerIsWhatHoldsAfterIt() {
        var server = ServerDouble()
        let known = server.watch()
        server.fix("/dev/gps0")
        server.pass(2)
        server.fix("/dev/gps1")
        server.now = server.now.advanced(bySeconds: 1.5)
        let new = server.watch()
        #expect(server.states(new).last == .tracking)
        server.now = server.now.advanced(bySeconds: 10)
        server.permit(Permission(.authorizedWhenInUse), known)
        let newest = server.watch()
        #expect(server.states(known).last == .lost)
        #expect(server.states(new).last == .lost)
        #expect(server.states(newest).last == .lost)
    }

    @Test func openingLocationMustBeAccurateEnough() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix { $0.horizontalAccuracy = 10 }
        let content = server.watch { $0.requiredAccuracy = 10 }
        let demanding = server.watch { $0.requiredAccuracy = 9 }
        #expect(server.locations(content).count == 1)
        #expect(server.locations(demanding).isEmpty)
        #expect(server.states(demanding) == [.tracking])
    }

    @Test func openingLocationAnchorsTheFilter() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        let id = server.watch { $0.distanceFilter = 100 }
        server.pass(1)
        server.fix(metresEast: 50)
        #expect(server.sequences(id) == [1])
        server.pass(1)
        server.fix(metresEast: 101)
        #expect(server.sequences(id) == [1, 3])
    }

    @Test func whoWantsNoLocationGetsNoneAtTheOpening() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        let id = server.watch {
            $0.location = false
            $0.satellites = true
        }
        #expect(server.updates(id).count == 1)
        #expect(server.locations(id).isEmpty)
    }

    @Test(arguments: [Permission.denied, Permission(.notDetermined, isPending: true), Permission(.restricted)])
    func whoMayNotKnowGetsStatusOnly(_ permission: Permission) {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        let id = server.watch(permission)
        server.pass(1)
        server.fix()
        #expect(server.locations(id).isEmpty)
        #expect(server.statuses(id).first?.authorization == permission.authorization)
        #expect(server.statuses(id).first?.authorizationPending == permission.isPending)
    }

    @Test func placesOfEndedWatchesAreUsedAgain() {
        var server = ServerDouble()
        let first = server.watch()
        let second = server.watch()
        #expect(first != second)
        server.end(first)
        #expect(server.hub.watchCount == 1)
        #expect(server.watch() == first)
        #expect(server.hub.watchCount == 2)
        server.fix()
        #expect(server.sequences(first) == [1])
    }

    @Test func endedWatchIsSentNothing() {
        var server = ServerDouble()
        let ended = server.watch()
        _ = server.watch()
        server.end(ended)
        server.clear()
        server.fix()
        server.permit(.denied, ended)
        server.read(ended)
        #expect(server.updates(ended).isEmpty)
        #expect(server.hub.progress(of: ended) == nil)
    }
}
