import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct WatchFilterTests {
    @Test func distanceIsCountedFromTheLastSeenFix() {
        var server = ServerDouble()
        let id = server.watch { $0.distanceFilter = 10 }
        for metres in [0.0, 6, 9.9, 10.1, 15, 20, 20.2, 4] {
            server.fix(metresEast: metres)
            server.pass(1)
        }
        #expect(server.sequences(id) == [1, 4, 7, 8])
        #expect(server.updates(id).allSatisfy { $0.dropped == 0 }, "what a filter holds back is no loss")
    }

    @Test func afterALossTheNextFixIsNews() {
        var server = ServerDouble()
        let id = server.watch { $0.distanceFilter = 10 }
        server.fixes(2)
        server.tell(.noFix(device: "/dev/gps0"))
        server.fixes(3)
        #expect(server.states(id).contains(.lost))
        #expect(server.sequences(id) == [1, 3])
    }

    @Test func minimumIntervalThinsFixes() {
        var server = ServerDouble()
        let id = server.watch { $0.minimumInterval = 3 }
        server.fixes(8)
        #expect(server.sequences(id) == [1, 4, 7])
    }

    @Test func inaccurateAndUnknownAccuracyIsHeldBack() {
        var server = ServerDouble()
        let id = server.watch { $0.requiredAccuracy = 10 }
        for accuracy in [50.0, nil, 10, 10.01, 3] {
            server.fix { $0.horizontalAccuracy = accuracy }
            server.pass(1)
        }
        #expect(server.sequences(id) == [3, 5])
    }

    @Test func whoseAccuracyHoldsBackEverythingIsToldWhatWouldPass() {
        var server = ServerDouble()
        let id = server.watch { $0.requiredAccuracy = 10 }
        let other = server.watch { $0.requiredAccuracy = 50 }
        for accuracy in [50.0, 25.25, nil] {
            server.fix { $0.horizontalAccuracy = accuracy }
            server.pass(1)
        }
        let before = server.statuses(id).count
        #expect(server.statuses(id).last?.reason == nil, "a receiver improves quickly in its first seconds")
        server.fix { $0.horizontalAccuracy = 30 }
        #expect(server.statuses(id).count == before + 1)
        #expect(
            server.statuses(id).last?.reason
                == "the best location is accurate to 25.25 m, and this watch requires 10 m; 26 or more would pass")
        #expect(server.statuses(id).last?.source == .tracking)
        #expect(server.statuses(other).allSatisfy { $0.reason == nil })
        server.pass(1)
        server.fix { $0.horizontalAccuracy = 31 }
        #expect(server.statuses(id).count == before + 1, "it is told once")
        server.pass(1)
        server.fix { $0.horizontalAccuracy = 9 }
        #expect(server.statuses(id).last?.reason == nil && server.statuses(id).count == before + 2)
        #expect(server.sequences(id) == [6])
        #expect(server.updates(id).suffix(2).map { $0.location == nil } == [true, false], "the status comes first")
    }

    @Test func withoutAnyKnownAccuracyTheReasonSaysSo() {
        var server = ServerDouble()
        let id = server.watch { $0.requiredAccuracy = 10 }
        for _ in 0..<4 {
            server.fix { $0.horizontalAccuracy = nil }
            server.pass(1)
        }
        #expect(server.statuses(id).last?.reason?.contains("no known accuracy") == true)
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.statuses(id).last?.reason?.contains("has lost its fix") == true)
    }

    @Test func heldFixCountsAsSeenForTheFilter() {
        var server = ServerDouble()
        let id = server.watch { $0.distanceFilter = 10 }
        server.stalled = [id]
        for metres in [0.0, 11, 15, 22] {
            server.fix(metresEast: metres)
            server.pass(1)
        }
        server.read(id)
        #expect(server.sequences(id) == [1, 4])
        #expect(server.updates(id).last?.dropped == 1, "the third was filtered, the second passed over")
    }

    @Test func maximumUpdatesEndsTheWatchWithItsLastLocation() {
        var server = ServerDouble()
        let id = server.watch { $0.maximumUpdates = 3 }
        server.fixes(5)
        #expect(server.sequences(id) == [1, 2, 3])
        #expect(server.updates(id).compactMap { $0.location == nil ? nil : $0.isFinal } == [false, false, true])
        #expect(server.hub.watchCount == 0)
    }

    @Test func durationEndsTheWatchWithAReasonAndItsDemand() {
        var server = ServerDouble()
        let id = server.watch { $0.duration = 10 }
        let other = server.watch { $0.duration = 20 }
        server.fix()
        server.pass(9.9)
        #expect(server.updates(id).allSatisfy { !$0.isFinal })
        server.pass(0.1)
        #expect(server.updates(id).last?.isFinal == true && server.updates(id).last?.status?.reason == "duration")
        #expect(server.updates(other).allSatisfy { !$0.isFinal } && server.hub.watchCount == 1)
        server.pass(10 + server.hub.settings.linger)
        #expect(server.updates(other).last?.status?.reason == "duration")
        #expect(server.hub.watchCount == 0 && !server.isDemanded)
    }

    @Test func durationOfAWatchThatEndedEarlierEndsNoOther() {
        var server = ServerDouble()
        let early = server.watch { $0.duration = 5 }
        server.end(early)
        let id = server.watch()
        #expect(id == early, "the place is given to the next watch")
        server.pass(60)
        #expect(server.updates(id).allSatisfy { !$0.isFinal } && server.hub.watchCount == 1)
    }

    @Test func durationCountsWhatIsHeldBackAsLost() {
        var server = ServerDouble()
        let id = server.watch { $0.duration = 5 }
        server.stalled = [id]
        server.fixes(3)
        server.pass(5)
        #expect(server.updates(id).last?.isFinal == true && server.updates(id).last?.dropped == 2)
    }

    @Test func openingLocationCountsAsUpdate() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        let id = server.watch { $0.maximumUpdates = 1 }
        #expect(server.updates(id).map(\.isFinal) == [true])
        #expect(server.sequences(id) == [1])
        #expect(server.hub.watchCount == 1)
    }

    @Test func statusesDoNotCountAsUpdates() {
        var server = ServerDouble()
        let id = server.watch { $0.maximumUpdates = 1 }
        server.tell(.condition(.connected(reason: nil)))
        #expect(server.states(id) == [.stopped, .starting, .searching])
        server.fix()
        #expect(server.updates(id).last?.isFinal == true)
    }

    @Test func heldLastLocationEndsTheWatchAndItsDemand() {
        var server = ServerDouble { $0.linger = 0 }
        let id = server.watch { $0.maximumUpdates = 2 }
        server.stalled = [id]
        server.fix()
        server.pass(1)
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.isDemanded)
        server.read(id)
        #expect(server.updates(id).last?.isFinal == true)
        #expect(server.sequences(id) == [1, 2])
        #expect(server.hub.watchCount == 0)
        #expect(server.demands == [true, false], "nobody is left")
    }

    @Test func lastLocationOfAnotherReceiverEndsTheDemandToo() {
        var server = ServerDouble { $0.linger = 0 }
        let every = server.watch {
            $0.everySource = true
            $0.maximumUpdates = 2
        }
        server.fix("/dev/gps0")
        server.fix("/dev/gps1")
        #expect(server.updates(every).last?.isFinal == true)
        #expect(server.demands == [true, false])
    }

    @Test func everySourceSeesAllReceivers() {
        var server = ServerDouble(sources: 2)
        let followed = server.watch()
        let every = server.watch { $0.everySource = true }
        for _ in 0..<3 {
            server.fix("/dev/gps0")
            server.fix("/dev/gps1", rank: 1)
            server.pass(1)
        }
        #expect(server.sequences(followed) == [1, 3, 5])
        #expect(server.sequences(every) == [1, 2, 3, 4, 5, 6])
        #expect(server.locations(every).map(\.source.device).suffix(2) == ["/dev/gps0", "/dev/gps1"])
        #expect(server.hub.lastLocation?.sequence == 5)
        #expect(server.hub.counters.fixesByRank == [0: 3, 1: 3])
    }

    @Test func passiveWatchSeesWhatOthersCause() {
        var server = ServerDouble()
        let passive = server.watch { $0.passive = true }
        #expect(server.demands.isEmpty)
        server.fix()
        #expect(server.locations(passive).isEmpty)
        _ = server.watch()
        server.fix()
        #expect(server.sequences(passive) == [1])
    }
}
