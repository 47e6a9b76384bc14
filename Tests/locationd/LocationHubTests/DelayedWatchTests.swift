import LocationHub
@_spi(Programs) import LocationModel
import Testing

extension ServerDouble {
    /// Fixes of a machine that moves, one now and one in each further second: one that stands is told so after a
    /// minute.
    fileprivate mutating func drive(_ count: Int) {
        for index in 0..<count {
            if index > 0 { pass(1) }
            fix(metresEast: now.seconds * 20)
        }
    }
}

/// Watches with a maximum delay: their locations are sent together.
@Suite struct DelayedWatchTests {
    /// A server at a multiple of a minute, with a watch that has received the first fix in its opening, and its own
    /// first fix now.
    private func delayed(
        by seconds: Double = 60, _ permission: Permission = .granted, _ change: (inout WatchRequest) -> Void = { _ in }
    ) -> (ServerDouble, WatchID) {
        var server = ServerDouble(at: BootInstant(seconds: 1200))
        let id = server.watch(permission) {
            $0.maximumDelay = seconds
            change(&$0)
        }
        server.fix()
        server.pass(1)
        return (server, id)
    }

    @Test func locationsOfAMinuteAreSentTogether() {
        var (server, id) = delayed()
        server.drive(140)
        #expect(server.batches.map(\.sequences) == [Array(1...60), Array(61...120)])
        #expect(server.batches.map(\.time.seconds) == [1260, 1320], "at the multiples of the delay")
        #expect(server.sequences(id) == Array(1...120))
        let arrivals = server.locations(id).map(\.monotonicTime.seconds)
        #expect(arrivals == (0..<120).map { 1200 + Double($0) }, "each keeps the moment of its arrival")
        #expect(server.updates(id).allSatisfy { $0.dropped == 0 })
    }

    @Test func noLocationIsHeldForLonger() {
        for delay in [0.001, 0.3, 1, 7.1, 59.9] {
            var server = ServerDouble(at: BootInstant(seconds: 1234.567))
            let id = server.watch { $0.maximumDelay = delay }
            for _ in 0..<150 {
                server.fix(metresEast: server.now.seconds * 20)
                server.pass(0.25)
                server.pass(0.25)
            }
            let sent = server.batches.filter { $0.id == id }.flatMap { batch in batch.sequences.map { ($0, batch.time) }
            }
            let times = Dictionary(uniqueKeysWithValues: sent)
            for location in server.locations(id) {
                let time = times[location.sequence]
                #expect(time.map { $0.seconds(since: location.monotonicTime) <= delay } == true, "\(delay)")
            }
            #expect(server.sequences(id) == Array(1...Int64(times.count)) && times.count > 1)
        }
    }

    @Test func watchesShareTheirWakeUps() {
        var server = ServerDouble(at: BootInstant(seconds: 1200))
        var ids: [WatchID] = []
        for second in 0..<20 {
            ids.append(server.watch { $0.maximumDelay = second.isMultiple(of: 2) ? 60 : 30 })
            server.fix()
            server.pass(1)
        }
        server.drive(100)
        #expect(Set(server.batches.map(\.time.seconds)) == [1230, 1260, 1290])
        let actions = server.hub.advance(to: BootInstant(seconds: 1320))
        let groups = actions.compactMap { if case .sendBatch(_, let ids) = $0 { ids } else { nil } }
        #expect(groups.map(\.count) == [10, 10], "what is the same for several is encoded once")
        #expect(server.hub.watchCount == ids.count)
    }

    @Test func otherWatchesAreNotAffected() {
        var (server, _) = delayed()
        let prompt = server.watch()
        server.clear()
        server.drive(5)
        #expect(server.sequences(prompt) == [2, 3, 4, 5, 6])
    }

    @Test func filtersAreAppliedBefore() {
        var (server, id) = delayed { $0.minimumInterval = 10 }
        server.drive(60)
        #expect(server.sequences(id) == [1, 11, 21, 31, 41, 51])
    }

    @Test func everySourceIsHeldInOrder() {
        var (server, id) = delayed { $0.everySource = true }
        for index in 0..<20 {
            server.fix(index.isMultiple(of: 2) ? "/dev/gps0" : "/dev/gps1")
            server.pass(3)
        }
        #expect(server.sequences(id) == Array(1...21))
    }

    @Test func openingIsNotHeld() {
        var (server, _) = delayed()
        let id = server.watch { $0.maximumDelay = 60 }
        #expect(server.sequences(id) == [1])
    }

    // MARK: Before its time

    @Test func fullBatchIsSentEarly() {
        var (server, id) = delayed(by: 3600)
        server.drive(300)
        #expect(server.batches.map(\.sequences.count) == [96, 96, 96])
        #expect(server.sequences(id) == Array(1...288))
        #expect(server.hub.progress(of: id)?.dropped == 0)
    }

    @Test func lastOfMaximumUpdatesIsNotHeld() {
        var (server, id) = delayed { $0.maximumUpdates = 5 }
        server.drive(3)
        #expect(server.sequences(id).isEmpty)
        server.pass(1)
        server.fix()
        #expect(server.sequences(id) == [1, 2, 3, 4, 5])
        #expect(server.updates(id).map(\.isFinal).suffix(5) == [false, false, false, false, true])
        #expect(server.hub.watchCount == 0)
    }

    @Test func severalBatchesCountAsMaximumUpdates() {
        var (server, id) = delayed(by: 2) { $0.maximumUpdates = 5 }
        server.drive(20)
        #expect(server.sequences(id) == [1, 2, 3, 4, 5])
        #expect(server.updates(id).last?.isFinal == true)
    }

    @Test func statusComesAfterWhatWasHeldBeforeIt() {
        var (server, id) = delayed()
        server.drive(3)
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.updates(id).map(\.location?.sequence) == [1, 2, 3, 4, nil])
        #expect(server.states(id) == [.lost])
        server.pass(1)
        server.clear()
        server.fix()
        #expect(server.states(id) == [.tracking] && server.sequences(id).isEmpty)
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.sequences(id) == [5])
    }

    @Test func staleFixIsSentWithTheNewsOfItsLoss() {
        var (server, id) = delayed()
        server.clear()
        server.pass(10)
        #expect(server.updates(id).map(\.location?.sequence) == [1, nil])
        #expect(server.states(id) == [.lost])
    }

    @Test func endOfTheServiceSendsWhatIsHeld() {
        var (server, id) = delayed()
        server.drive(3)
        server.clear()
        server.perform(server.hub.finish(reason: "stopping", at: server.now))
        #expect(server.updates(id).map(\.location?.sequence) == [1, 2, 3, 4, nil])
        #expect(server.updates(id).last?.isFinal == true && server.updates(id).last?.dropped == 0)
    }

    @Test func endOfTheDurationSendsWhatIsHeld() {
        var (server, id) = delayed { $0.duration = 5.5 }
        server.drive(10)
        #expect(server.sequences(id) == [1, 2, 3, 4, 5, 6])
        #expect(server.updates(id).last?.status?.reason == "duration")
        #expect(server.updates(id).last?.dropped == 0)
    }

    @Test func lateTimerSendsOnce() {
        var (server, id) = delayed()
        server.sleep(100_000)
        #expect(server.sequences(id) == [1])
        #expect(server.states(id).last == .lost)
    }

    // MARK: Never

    @Test(arguments: [Permission.denied, Permission(.authorizedAlways, accuracy: .reduced)])
    func revocationDiscardsWhatIsHeld(_ permission: Permission) {
        var (server, id) = delayed()
        server.drive(3)
        server.clear()
        server.permit(permission, id)
        #expect(server.locations(id).isEmpty && server.statuses(id).count == 1)
        server.pass(100)
        #expect(server.locations(id).isEmpty)
    }

    @Test func revocationAfterTheDeadlineDiscardsToo() {
        var (server, id) = delayed()
        server.drive(3)
        server.clear()
        // The timer is late: the machine was asleep.
        server.now = server.now.advanced(bySeconds: 1000)
        server.permit(.denied, id)
        #expect(server.locations(id).isEmpty && !server.statuses(id).isEmpty)
    }

    @Test func pendingRequestForAuthorizationSendsWhatIsHeld() {
        var (server, id) = delayed()
        server.clear()
        server.permit(Permission(.authorizedAlways, isPending: true), id)
        #expect(server.updates(id).map(\.location?.sequence) == [1, nil])
    }

    @Test func stopDiscardsAndCounts() {
        var (server, id) = delayed()
        server.drive(3)
        server.clear()
        server.setEnabled(false)
        #expect(server.locations(id).isEmpty && server.statuses(id).last?.enabled == false)
        #expect(server.hub.progress(of: id)?.dropped == 4 && server.hub.counters.dropped == 4)
        server.setEnabled(true)
        server.drive(61)
        #expect(server.updates(id).first { $0.location != nil }?.dropped == 4)
    }

    @Test func whatAWatchHeldIsGoneWithIt() {
        var (server, id) = delayed()
        server.end(id)
        let next = server.watch()
        #expect(next == id, "the slot is used again")
        server.clear()
        server.pass(2)
        server.fix()
        #expect(server.sequences(next) == [2])
        server.pass(200)
        #expect(server.batches.isEmpty)
    }

    @Test func lossBeforeTheHubIsReportedOnce() {
        var (server, id) = delayed()
        server.loseFixes(7)
        server.drive(60)
        #expect(server.updates(id).filter { $0.location != nil }.map(\.dropped).filter { $0 > 0 } == [7])
    }

    // MARK: A client that does not read

    @Test func clientThatReadsLateGetsAll() {
        var (server, id) = delayed()
        server.stalled = [id]
        server.drive(130)
        #expect(server.batches.map(\.sequences.count) == [60], "the second waits")
        server.clear()
        server.read(id)
        #expect(
            server.sequences(id) == Array(61...120) + Array(121...131), "what is overdue is sent, with what is held")
        #expect(server.hub.progress(of: id)?.isBehind == false)
        server.drive(120)
        #expect(server.updates(id).allSatisfy { $0.dropped == 0 })
    }

    @Test func clientThatReadsBeforeTheDeadlineWaitsForIt() {
        var (server, id) = delayed()
        server.drive(59)
        server.stalled = [id]
        server.pass(1)
        server.drive(5)
        server.clear()
        server.read(id)
        #expect(server.sequences(id).isEmpty)
        server.drive(60)
        #expect(server.sequences(id).first == 61)
    }

    @Test func clientThatNeverReadsLosesTheOldest() {
        var (server, id) = delayed()
        server.stalled = [id]
        server.drive(300)
        server.clear()
        server.read(id)
        #expect(server.sequences(id) == Array(206...301))
        #expect(server.updates(id).first?.dropped == 145)
        #expect(server.hub.counters.dropped == 145)
    }

    @Test func statusLeavesTheNewestForAClientThatDoesNotRead() {
        var (server, id) = delayed()
        server.stalled = [id]
        server.drive(70)
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(1)
        server.fix()
        server.read(id)
        #expect(server.updates(id).map(\.location?.sequence) == [71, nil, nil])
        #expect(server.updates(id).map(\.dropped) == [10, 0, 0])
        #expect(server.states(id) == [.lost, .tracking])
        server.pass(60)
        #expect(server.sequences(id).last == 72)
    }

    @Test func slowClientEndsWithItsCount() {
        var (server, id) = delayed { $0.maximumUpdates = 70 }
        server.stalled = [id]
        server.drive(100)
        server.clear()
        server.read(id)
        #expect(server.sequences(id) == Array(92...101), "the newest of those it may still get")
        #expect(server.updates(id).last?.isFinal == true && server.updates(id).first?.dropped == 31)
        #expect(server.hub.watchCount == 0)
    }

    // MARK: Views

    @Test func paceIsKept() {
        var permission = Permission.granted
        permission.pace = Pace(principal: "uid:1000", interval: 20)
        var (server, id) = delayed(by: 60, permission)
        server.drive(60)
        #expect(server.sequences(id) == [1, 21, 41])
    }

    @Test func viewsAreNotMixed() {
        var (server, full) = delayed()
        let reduced = server.watch(Permission(.authorizedAlways, accuracy: .reduced)) { $0.maximumDelay = 60 }
        server.clear()
        server.drive(61)
        #expect(server.sequences(full).count == 60)
        #expect(server.locations(reduced).isEmpty, "without a reduction nothing is shown")
    }
}
