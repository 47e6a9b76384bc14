import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct SlowWatchTests {
    /// A server with one watch that has the first fix on its way and reads no more.
    private func stalled(
        _ change: (inout WatchRequest) -> Void = { _ in }
    ) -> (ServerDouble, WatchID) {
        var server = ServerDouble()
        let id = server.watch(.granted, change)
        server.stalled = [id]
        server.fix()
        server.pass(1)
        return (server, id)
    }

    @Test func slowWatchReceivesOnlyNewestFix() {
        var (server, id) = stalled()
        server.fixes(9)
        #expect(server.sequences(id) == [1])
        server.read(id)
        #expect(server.sequences(id) == [1, 10])
        #expect(server.updates(id).last?.dropped == 8)
    }

    @Test func gapOfUnfilteredWatchIsWhatItDropped() {
        var (server, id) = stalled()
        server.fixes(4)
        server.loseFixes(3)
        server.pass(1)
        server.fix()
        server.read(id)
        server.pass(1)
        server.fix()
        let updates = server.updates(id).filter { $0.location != nil }
        for (before, after) in zip(updates, updates.dropFirst()) {
            let gap = (after.location?.sequence ?? 0) - (before.location?.sequence ?? 0)
            #expect(gap - 1 == Int64(after.dropped))
        }
        #expect(updates.map(\.dropped) == [0, 7, 0])
    }

    @Test func caughtUpWatchGetsWhatEverybodyGets() {
        var (server, id) = stalled()
        server.fixes(3)
        server.read(id)
        #expect(server.hub.progress(of: id)?.isBehind == false)
        server.pass(1)
        let actions = server.hub.applyEvent(.fix(.fix(at: server.now)), from: 0, at: server.now)
        #expect(actions.contains { if case .sendLocation(_, let ids) = $0 { ids == [id] } else { false } })
    }

    @Test func promptWatchIsNotAffectedBySlowOne() {
        var (server, slow) = stalled()
        let prompt = server.watch()
        server.fixes(5)
        #expect(server.sequences(prompt) == [1, 2, 3, 4, 5, 6])
        #expect(server.updates(prompt).allSatisfy { $0.dropped == 0 })
        #expect(server.hub.progress(of: slow)?.dropped == 4)
        #expect(server.hub.counters.dropped == 4)
    }

    @Test func everyKindHasOneSlot() {
        var (server, id) = stalled {
            $0.heading = true
            $0.satellites = true
        }
        for number in 1...5 {
            server.fix()
            let sky = [Satellite(gnss: "GPS", id: number, used: true)]
            server.tell(.satellites(sky, device: "/dev/gps0", at: server.now))
            var heading = Heading()
            heading.trueHeading = Double(number)
            server.tell(.heading(heading, device: "/dev/gps0", at: server.now))
            server.pass(1)
        }
        server.clear()
        server.read(id)
        let updates = server.updates(id)
        #expect(updates.compactMap(\.location?.sequence) == [6])
        #expect(updates.compactMap(\.satellites?.first?.id) == [5])
        #expect(updates.compactMap(\.heading?.trueHeading) == [5])
        #expect(updates.compactMap(\.headingTime) == [server.now.advanced(bySeconds: -1)])
        #expect(updates.map(\.dropped).reduce(0, +) == 4)
        #expect(updates.count == 4, "three kinds and the status that a compass was found")
    }

    @Test func statusChangesAreNeverCoalesced() {
        var (server, id) = stalled()
        let prompt = server.watch()
        server.clear()
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        server.fix { $0.speed = 1 }
        server.tell(.noFix(device: "/dev/gps0"))
        server.fix { $0.speed = 2 }
        server.read(id)
        #expect(server.states(prompt) == [.lost, .tracking, .lost, .tracking])
        #expect(server.states(id) == server.states(prompt))
    }

    @Test func heldThingsComeInTheOrderInWhichTheyHappened() {
        var (server, id) = stalled()
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        server.clear()
        server.read(id)
        #expect(server.updates(id).map { $0.location?.sequence } == [2, nil])
        #expect(server.states(id) == [.lost])

        server.pass(1)
        server.stalled = [id]
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(1)
        server.fix()
        server.clear()
        server.read(id)
        #expect(server.updates(id).map { $0.location?.sequence } == [nil, nil, 4])
        #expect(server.states(id) == [.lost, .tracking])
    }

    @Test func seventeenthWaitingStatusDisconnects() {
        var (server, id) = stalled()
        for index in 0..<16 { server.permit(index.isMultiple(of: 2) ? .denied : .granted, id) }
        #expect(server.disconnected.isEmpty)
        #expect(server.hub.watchCount == 1)
        server.permit(.denied, id)
        #expect(server.disconnected == [id])
        #expect(server.hub.watchCount == 0)
    }

    @Test func whoComesWhenAnotherIsCutOffHasAPlaceOfItsOwn() throws {
        for isMonitor in [false, true] {
            var (server, slow) = stalled()
            for index in 0..<16 { server.permit(index.isMultiple(of: 2) ? .denied : .granted, slow) }
            // The timer that tells of the stale fix is late.
            server.now = server.now.advanced(bySeconds: 60)
            let new = try isMonitor ? server.monitor() : server.watch()
            #expect(server.disconnected == [slow] && new != slow)
            server.fix()
            #expect(isMonitor ? server.reports(new) == ["home unknown", "home inside"] : server.sequences(new) == [2])
        }
    }

    @Test func sixteenStatusesAreAllRead() {
        var (server, id) = stalled()
        for index in 0..<16 { server.permit(index.isMultiple(of: 2) ? .denied : .granted, id) }
        server.clear()
        server.read(id)
        let expected = (0..<16).map { $0.isMultiple(of: 2) ? AuthorizationStatus.denied : .authorizedAlways }
        #expect(server.statuses(id).map(\.authorization) == expected)
    }

    @Test func watchThatStallsAgainKeepsTheRest() {
        var (server, id) = stalled()
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        server.clear()
        server.read(id, atMost: 1)
        #expect(server.sequences(id) == [2])
        #expect(server.hub.progress(of: id)?.isBehind == true)
        server.pass(1)
        server.fix()
        server.read(id)
        #expect(server.updates(id).map { $0.location?.sequence } == [2, nil, nil, 3])
        #expect(server.updates(id).allSatisfy { $0.dropped == 0 })
    }

    @Test func promptWatchIsToldOfLossBeforeTheHub() {
        var server = ServerDouble()
        let id = server.watch()
        let other = server.watch(.denied)
        server.fix()
        server.loseFixes(5)
        server.pass(1)
        server.fix()
        server.pass(1)
        server.fix()
        #expect(server.sequences(id) == [1, 7, 8])
        #expect(server.updates(id).suffix(2).map(\.dropped) == [5, 0])
        #expect(server.hub.progress(of: other)?.dropped == 0)
        #expect(server.hub.counters.dropped == 5)
    }

    @Test func lossWhileNobodyListensIsNoLoss() {
        var server = ServerDouble(isEnabled: false)
        let id = server.watch()
        server.loseFixes(5)
        #expect(server.hub.progress(of: id)?.dropped == 0)
        #expect(server.hub.lastSequence == 0)
    }
}
