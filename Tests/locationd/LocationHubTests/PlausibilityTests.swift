import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Fixes that cannot be true.
@Suite struct PlausibilityTests {
    private func watched(
        _ change: (inout HubSettings) -> Void = { _ in }
    ) -> (server: ServerDouble, id: WatchID, every: WatchID) {
        var server = ServerDouble {
            $0.plausibility = PlausibilitySettings()
            change(&$0)
        }
        let id = server.watch()
        let every = server.watch { $0.everySource = true }
        return (server, id, every)
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("a valid place")
        }
        return place
    }

    @Test func nullIslandAtTheStartIsHeldBackAndExplained() throws {
        var (server, id, every) = watched()
        server.tell(.condition(.connected(reason: nil)))
        for _ in 0..<10 {
            server.fix { $0.coordinate = Self.place(0, 0.001) }
            server.pass(1)
        }
        #expect(server.sequences(id).isEmpty)
        #expect(server.locations(every).map(\.implausibility) == Array(repeating: .nullIsland, count: 10))
        #expect(server.hub.counters.implausible == [0: [.nullIsland: 10]])
        #expect(server.hub.lastLocation == nil)
        let status = try #require(server.statuses(id).last)
        #expect(status.source == .searching)
        #expect(status.reason?.contains("latitude 0, longitude 0") == true)
        server.fix()
        #expect(server.sequences(id) == [11], "numbers rise over those that are held back")
        #expect(server.statuses(id).last?.reason == nil)
    }

    @Test func whoMovesOrComesByThereIsBelieved() {
        var (server, id, _) = watched()
        server.fix { ($0.coordinate, $0.speed) = (Self.place(0, 0), 5) }
        #expect(server.sequences(id) == [1])
        server.pass(1)
        server.fix { ($0.coordinate, $0.speed) = (Self.place(0, 0.0001), 0) }
        #expect(server.sequences(id) == [1, 2], "a ship that anchors there")
    }

    @Test func aJumpIsHeldBackAndTheNextTrueFixIsNot() {
        var (server, id, every) = watched()
        server.fix()
        for _ in 0..<20 {
            server.pass(1)
            server.fix { $0.coordinate = Self.place(-33, 151) }
            server.pass(1)
            server.fix()
        }
        #expect(server.locations(id).allSatisfy { $0.coordinate.distance(to: .start) < 1 })
        #expect(server.sequences(id).count == 21)
        #expect(server.locations(every).count { $0.implausibility == .jump } == 20)
        #expect(server.states(id).allSatisfy { $0 != .lost })
    }

    @Test func aTrueJumpIsBelievedAfterFixesThatAgree() throws {
        var (server, id, every) = watched()
        server.fix()
        for _ in 0..<5 {
            server.pass(1)
            server.fix { $0.coordinate = Self.place(-33, 151) }
        }
        #expect(server.locations(id).map { $0.coordinate.latitude < 0 } == [false, true])
        #expect(server.locations(every).map { $0.implausibility == .jump } == [false, true, true, true, true, false])
        let reasons = server.statuses(id).filter { $0.source == .lost }.compactMap(\.reason)
        #expect(try #require(reasons.first).contains("cannot have reached"))
        #expect(server.states(id).last == .tracking)
    }

    @Test func fixesThatDisagreeWithEachOtherAreNeverBelieved() {
        var (server, id, _) = watched()
        server.fix()
        for step in 0..<50 {
            server.pass(1)
            server.fix { $0.coordinate = Self.place(Double(step % 2) * 20 - 40, 151) }
        }
        #expect(server.sequences(id) == [1])
        #expect(server.hub.counters.implausible == [0: [.jump: 50]])
    }

    @Test func speedIsJudgedByTheAccuracyOfBothFixes() {
        var (server, id, _) = watched { $0.plausibility.maximumSpeed = 100 }
        server.fix { $0.horizontalAccuracy = 200 }
        server.pass(1)
        server.fix(metresEast: 740) { $0.horizontalAccuracy = 10 }
        #expect(server.sequences(id) == [1], "100 m in a second, and 630 m of accuracy")
        server.pass(1)
        server.fix(metresEast: 729) { $0.horizontalAccuracy = 10 }
        #expect(server.sequences(id) == [1, 3])
    }

    @Test func timeThatRunsBackIsHeldBackUntilItAgrees() {
        var (server, id, every) = watched()
        func late(_ seconds: Int64) -> (inout Location) -> Void {
            { fix in
                fix.timestamp = fix.timestamp.map {
                    UTCTime(seconds: $0.seconds - seconds, nanoseconds: Int64($0.nanoseconds))
                }
            }
        }
        server.fix()
        server.pass(1)
        server.fix(metresEast: 0, late(18))
        #expect(server.sequences(id) == [1, 2], "a receiver that learns of the leap seconds")
        for _ in 0..<5 {
            server.pass(1)
            server.fix(metresEast: 0, late(3600))
        }
        #expect(server.sequences(id) == [1, 2, 7])
        #expect(server.locations(every).count { $0.implausibility == .timeRunsBack } == 4)
    }

    @Test func aSecondReportOfAnEpochConfirmsNothing() {
        var (server, id, _) = watched()
        server.fix()
        server.pass(1)
        for report in 0..<8 {
            server.fix {
                ($0.coordinate, $0.speed) = (Self.place(-33, 151), Double(report))
                $0.timestamp = UTCTime(seconds: 1_772_370_000)
            }
        }
        #expect(server.sequences(id) == [1])
    }

    @Test func aRepeatOfWhatWasHeldBackIsNoNews() {
        var (server, _, every) = watched()
        server.fix()
        server.pass(1)
        var wrong = Location.fix(at: server.now)
        wrong.coordinate = Self.place(-33, 151)
        for _ in 0..<8 { server.tell(.fix(wrong)) }
        #expect(server.sequences(every) == [1, 2])
        #expect(server.hub.counters.repeats == 7)
    }

    @Test func whatIsInjectedOrWrittenIsMeant() {
        var (server, id, _) = watched()
        server.fix()
        server.fix(rank: Hub.injectedRank) { $0.coordinate = Self.place(-33, 151) }
        #expect(server.sequences(id) == [1, 2])
        var fixed = ServerDouble()
        let watch = fixed.watch()
        fixed.fix { ($0.coordinate, $0.source.method) = (Self.place(0, 0), .fixedPosition) }
        fixed.fix { ($0.coordinate, $0.source.method) = (Self.place(-33, 151), .fixedPosition) }
        #expect(fixed.sequences(watch) == [1, 2])
    }

    @Test func everyRuleCanBeSwitchedOff() {
        var (server, id, _) = watched {
            $0.plausibility.nullIslandRadius = nil
            $0.plausibility.maximumSpeed = nil
            $0.plausibility.timeTolerance = nil
        }
        server.fix { $0.coordinate = Self.place(0, 0) }
        server.fix { $0.coordinate = Self.place(-33, 151) }
        server.fix { $0.timestamp = UTCTime(seconds: 1_772_000_000) }
        #expect(server.sequences(id) == [1, 2, 3])
    }

    @Test func heldBackFixesOpenNoRegionAndAnswerNoRequest() {
        var server = ServerDouble()
        server.request(1)
        server.fix { $0.coordinate = Self.place(0, 0) }
        #expect(server.answer(1) == nil)
        server.fix()
        #expect(server.answer(1) != nil)
    }

    /// Ten thousand outliers of all kinds among the fixes of a drive: none is given out as the position, and no true
    /// fix is held back.
    @Test func tenThousandOutliersAreMarked() {
        var (server, _, _) = watched()
        var random = SeededGenerator(seed: 23)
        var wrong = Set<BootInstant>()
        var seen: [BootInstant] = []
        var metres = 0.0
        let follower = server.watch()
        for _ in 0..<10_000 {
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                metres += Double.random(in: 0...40, using: &random)
                server.fix(metresEast: metres)
                server.pass(1)
            }
            wrong.insert(server.now)
            server.fix(metresEast: metres) { fix in
                switch Int.random(in: 0...2, using: &random) {
                case 0: (fix.coordinate, fix.speed) = (Self.place(0, 0), 0)
                case 1:
                    let distance = Double.random(in: 2000...15_000_000, using: &random)
                    fix.coordinate = fix.coordinate.coordinate(
                        atDistance: distance, bearing: Double.random(in: 0..<360, using: &random))
                default:
                    let seconds = Int64.random(in: 30...300_000_000, using: &random)
                    fix.timestamp = fix.timestamp.map { UTCTime(seconds: $0.seconds - seconds) }
                }
            }
            server.pass(0.5)
            seen += server.locations(follower).map(\.monotonicTime)
            server.clear()
        }
        #expect(wrong.count == 10_000 && wrong.isDisjoint(with: seen))
        #expect(server.hub.counters.implausible[0]?.values.reduce(0, +) == 10_000)
        #expect(server.hub.counters.fixes == seen.count)
    }
}

/// The dates of receivers.
@Suite struct WallClockTests {
    private static let now = UTCTime(seconds: 1_795_000_000)

    private func isMarked(_ seconds: Int64?, isSynchronized: Bool = true, _ change: (inout Location) -> Void = { _ in })
        -> Bool?
    {
        var server = ServerDouble()
        let id = server.watch()
        server.hub.wallClock = WallClock(utc: Self.now, at: server.now, isSynchronized: isSynchronized)
        server.pass(10)
        server.fix {
            $0.timestamp = seconds.map { UTCTime(seconds: Self.now.seconds + 10 + $0) }
            change(&$0)
        }
        return server.locations(id).first?.isTimestampImplausible
    }

    @Test func farFromASynchronizedClockItIsMarkedAndThePositionCounts() {
        #expect(isMarked(0) == false)
        #expect(isMarked(86_400) == false)
        #expect(isMarked(86_401) == true)
        #expect(isMarked(-86_401) == true)
        #expect(isMarked(nil) == false)
    }

    @Test func aClockThatNothingSetsJudgesOnlyDatesBeforeTheRelease() {
        #expect(isMarked(86_401, isSynchronized: false) == false)
        // A roll-over: 1024 weeks.
        #expect(isMarked(-1024 * 7 * 86_400, isSynchronized: false) == true)
    }

    @Test func whatIsNotMeasuredNowHasAnyDate() {
        for method in [LocationMethod.replayed, .simulated, .fixedPosition, .network] {
            #expect(isMarked(-90_000) { $0.source.method = method } == false)
        }
    }
}
