@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Testing

/// Which programs are listed, with what, and for how long.
@Suite struct UsageTableTests {
    private typealias Program = UsageTable.Program

    private static let (anna, boris): (UInt32, UInt32) = (1000, 1001)
    /// When the wall clock is at 0 of the steady one.
    private static let boot: Int64 = 1_772_323_200
    private static let start = 7200

    private var table = UsageTable(at: BootInstant(seconds: Double(Self.start)))

    private mutating func add(_ count: Int, _ name: String?, user: UInt32 = anna, at second: Int, isFull: Bool = true) {
        var counted = UsageTable.Count()
        counted.add(count, at: second)
        table.add(counted, to: Program(user: user, name: name), isFull: isFull)
    }

    private func list(
        _ receivers: [UsageTable.Receiver] = [], of user: UInt32? = anna, at second: Int
    ) -> [LocationUsage] {
        var table = table
        return table.list(
            receivers, of: user, at: BootInstant(seconds: Double(second)),
            utc: UTCTime(seconds: Self.boot + Int64(second)))
    }

    private func receiver(
        _ name: String?, user: UInt32 = anna, pid: Int? = nil, since: Double, isFull: Bool = true
    ) -> UsageTable.Receiver {
        UsageTable.Receiver(
            program: Program(user: user, name: name), pid: pid, since: BootInstant(seconds: since), isFull: isFull)
    }

    private func time(_ second: Int) -> UTCTime { UTCTime(seconds: Self.boot + Int64(second)) }

    @Test mutating func userSeesItsOwnProgramsAndTheListOfAllNamesUsers() {
        add(2, "maps", at: 8000)
        add(3, "maps", user: Self.boris, at: 8001)
        let own = list(at: 9000)
        #expect(own.map(\.locations) == [2] && own[0].user == nil && own[0].program == "maps")
        #expect(own[0].last == time(8000) && own[0].since == nil && own[0].accuracy == .full)
        let receivers = [receiver("maps", user: Self.boris, since: 8500)]
        #expect(list(receivers, at: 9000) == own, "what another user's program does changes nothing")
        #expect(list(of: nil, at: 9000).map(\.user) == [Self.boris, Self.anna])
    }

    @Test mutating func programIsListedForADayAndNotASecondLonger() {
        add(1, "maps", at: 8000)
        #expect(list(at: 8000 + UsageTable.period - 1).map(\.locations) == [1])
        #expect(list(at: 8000 + UsageTable.period).isEmpty)
    }

    @Test mutating func locationsOfHoursBeforeTheLastDayAreNotCounted() {
        for hour in 2...30 { add(1, "maps", at: hour * 3600) }
        #expect(list(at: 30 * 3600).map(\.locations) == [25], "the hour in which the 24 hours begin counts as a whole")
        #expect(list(at: 31 * 3600).map(\.locations) == [24])
    }

    @Test mutating func beginningOfTheCountIsSaidUntilADayHasPassed() {
        add(1, "maps", at: 80_000)
        let day = Self.start + UsageTable.period
        #expect(list(at: day - 1).map(\.countedSince) == [time(Self.start)])
        #expect(list(at: day).map(\.countedSince) == [nil])
    }

    @Test mutating func receiverIsListedBeforeItsFirstLocationAndWithTheOldestProcess() {
        add(1, "old", at: 8999)
        let receivers = [
            receiver("maps", pid: 2, since: 8600), receiver("maps", pid: 1, since: 8500, isFull: false),
        ]
        let usage = list(receivers, at: 9000)
        #expect(usage.map(\.program) == ["maps", "old"])
        #expect(usage[0].since == time(8500) && usage[0].pid == 1 && usage[0].last == nil && usage[0].locations == 0)
        #expect(usage[0].accuracy == .full)
        #expect(list([receiver("maps", since: 8500, isFull: false)], at: 9000)[0].accuracy == .reduced)
    }

    @Test mutating func fullAccuracyIsForgottenADayAfterItsLastLocation() {
        add(1, "maps", at: 8000)
        add(1, "maps", at: 9000, isFull: false)
        #expect(list(at: 8000 + UsageTable.period - 1).map(\.accuracy) == [.full])
        #expect(list(at: 8000 + UsageTable.period).map(\.accuracy) == [.reduced])
    }

    @Test mutating func programBeyondTheLimitOfAUserReplacesItsOldestAlone() {
        add(1, "maps", user: Self.boris, at: 7300)
        for number in 0..<UsageTable.userLimit { add(1, "\(number)", at: 8000 + number) }
        #expect(list(at: 9000).count == UsageTable.userLimit)
        add(1, "one more", at: 8500)
        #expect(list(at: 9000).map(\.program).contains("0") == false)
        #expect(list(at: 9000).count == UsageTable.userLimit && list(of: Self.boris, at: 9000).count == 1)
        add(1, "1", at: 8600)
        #expect(list(at: 9000).count == UsageTable.userLimit, "who is known takes no room of another")
    }

    @Test mutating func programBeyondTheLimitOfAllReplacesTheOldest() {
        for number in 0..<UsageTable.limit { add(1, "maps", user: UInt32(number), at: 8000 + number) }
        #expect(list(of: nil, at: 9500).count == UsageTable.limit)
        add(1, "maps", user: 5000, at: 9400)
        let users = list(of: nil, at: 9500).compactMap(\.user)
        #expect(users.count == UsageTable.limit && users.first == 5000 && !users.contains(0))
    }

    @Test mutating func momentKeepsItsTextUnlessTheWallClockIsSet() {
        add(1, "maps", at: 8000)
        let wall = UTCTime(seconds: Self.boot + 9000)
        let before = table.list([], of: Self.anna, at: BootInstant(seconds: 9000), utc: wall)
        let now = BootInstant(seconds: 9000.9)
        let after = table.list([], of: Self.anna, at: now, utc: UTCTime(seconds: wall.seconds + 1))
        #expect(after == before)
        let set = table.list([], of: Self.anna, at: now, utc: UTCTime(seconds: wall.seconds + 3600))
        #expect(set[0].last == time(8000 + 3600))
    }

    private func record(_ age: Int64, _ purpose: String?, uid: Int = 1000, principal: String? = nil) -> AuditRecord {
        var record = AuditRecord(
            .delivered, principal: principal ?? "uid:\(uid)",
            time: UTCTime(seconds: Self.boot + Int64(Self.start) - age))
        (record.uid, record.purpose, record.accuracy) = (uid, purpose, .reduced)
        return record
    }

    private mutating func resume(_ records: [AuditRecord]) {
        table.resume(records, at: BootInstant(seconds: Double(Self.start)), utc: time(Self.start))
    }

    @Test mutating func deliveriesOfTheLastDayAreResumed() {
        var refused = record(5, "refused")
        refused.event = .refused
        resume([
            record(86_400, "too old"), record(86_399, "maps"), record(60, nil, uid: 990, principal: "unit:a.service"),
            record(-5, "of the future"), refused, record(1, "of no user", uid: -1),
        ])
        let usage = list(of: nil, at: Self.start)
        #expect(usage.map(\.program) == ["a.service", "maps"])
        #expect(usage[1].last == time(Self.start - 86_399) && usage[1].locations == 0 && usage[1].accuracy == .reduced)
    }

    @Test mutating func resumedProgramGoesOnBehindItsBridge() {
        resume([record(60, "GeoClue: maps")])
        var count = UsageTable.Count()
        count.add(1, at: Self.start + 5)
        table.add(count, to: Program(user: Self.anna, name: "GeoClue: maps", service: "bridge.service"), isFull: false)
        let usage = list(at: Self.start + 6)
        #expect(usage.map(\.service) == ["bridge.service"] && usage[0].last == time(Self.start + 5))
    }

    @Test mutating func hourBeginsOnce() {
        let seconds = [10_799.9, 10_800, 10_801, 14_400]
        let hours = seconds.map { table.advanceHour(to: BootInstant(seconds: $0)) }
        #expect(hours == [false, true, false, true])
    }
}
