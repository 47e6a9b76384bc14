import Authorization
@_spi(Programs) import LocationModel
import Testing

/// What the policy lets users decide about their own programs.
@Suite struct UserCeilingTests {
    private func policy(_ ceilings: [UserCeiling], rules: [PolicyRule] = []) -> AccessPolicy {
        var policy = AccessPolicy(daemonUID: 990, group: 50, groupName: "locationd", rules: rules)
        policy.ceilings = ceilings
        return policy
    }

    private func ceiling(_ match: UserCeiling.Match, _ level: UserCeiling.Level = .authorizedWhenInUse) -> UserCeiling {
        UserCeiling(match, level, origin: "policy.toml:1")
    }

    private let alice = Principal(uid: 1000, pid: 7, groups: [100, 1000])

    @Test func withoutOneNobodyDecides() {
        #expect(policy([]).ceiling(of: alice) == nil)
    }

    @Test func firstThatMatchesApplies() {
        let ceilings = [
            ceiling(.uid(1001), .authorizedAlways), ceiling(.group(100)), ceiling(.everyone, .authorizedAlways),
        ]
        #expect(policy(ceilings).ceiling(of: alice) == ceilings[1])
        #expect(policy(ceilings).ceiling(of: Principal(uid: 1001, pid: 7, groups: [100])) == ceilings[0])
        #expect(policy(ceilings).ceiling(of: Principal(uid: 1002, pid: 7, groups: [])) == ceilings[2])
    }

    @Test func whoIsExceptedDecidesNothing() {
        let ceilings = [ceiling(.group(100), .restricted), ceiling(.everyone)]
        #expect(policy(ceilings).ceiling(of: alice) == nil)
        #expect(policy(ceilings).ceiling(of: Principal(uid: 1002, pid: 7, groups: [])) != nil)
    }

    @Test func whomARuleRestrictsDecidesNothing() {
        let rule = PolicyRule(.uid(1000), .restricted, origin: "policy.toml:9")
        #expect(policy([ceiling(.everyone)], rules: [rule]).ceiling(of: alice) == nil)
    }

    @Test func whoIsNotKnownByItsOwnSocketDecidesNothing() {
        let policy = policy([ceiling(.everyone)])
        #expect(policy.ceiling(of: alice.reading(.nmea)) == nil)
        #expect(policy.ceiling(of: Principal(uid: 1000, pid: 7, groups: [], isMakerOfSocket: true)) == nil)
    }

    @Test(arguments: [
        (Decision.Answer.denied, AccuracyAuthorization.full, nil as Double?, nil as String?),
        (.authorizedWhenInUse, .reduced, 3600, nil),
        (
            .authorizedAlways, .reduced, 3600,
            "policy.toml:1 lets users grant it while they are logged in only; "
                + "decide with --when-in-use"
        ),
        (
            .authorizedWhenInUse, .full, 3600,
            "policy.toml:1 lets users grant reduced accuracy only; decide with --reduced"
        ),
        (
            .authorizedWhenInUse, .reduced, 3601,
            "policy.toml:1 lets users grant it for 3600 s at most; "
                + "decide with --for 3600s"
        ),
        (
            .authorizedWhenInUse, .reduced, nil,
            "policy.toml:1 lets users grant it for 3600 s at most; "
                + "decide with --for 3600s"
        ),
    ])
    func whatExceedsItIsSaid(
        answer: Decision.Answer, accuracy: AccuracyAuthorization, duration: Double?, objection: String?
    ) {
        let ceiling = UserCeiling(
            .everyone, .authorizedWhenInUse, accuracy: .reduced, longest: 3600, origin: "policy.toml:1")
        #expect(ceiling.objection(to: decision(answer, accuracy), during: duration) == objection)
    }

    @Test func highestAllowsEverything() {
        let ceiling = UserCeiling(.everyone, .authorizedAlways, origin: "policy.toml:1")
        #expect(ceiling.objection(to: decision(.authorizedAlways), during: nil) == nil)
    }

    @Test func administratorsDecisionStands() {
        let own = Decision(.denied, by: DecisionEntry.user(1000), time: time())
        #expect(DecisionEntry().mayBeReplaced(byUser: 1000))
        #expect(DecisionEntry(decision: own).mayBeReplaced(byUser: 1000))
        #expect(!DecisionEntry(decision: decision(.authorizedAlways)).mayBeReplaced(byUser: 1000))
        // Below a decision of her own, and above one.
        let term = Term(duration: 60, at: Term.Moment(now: BootInstant(nanoseconds: 0), utc: time()))
        var entry = DecisionEntry(decision: decision(.denied))
        entry.temporary = TemporaryDecision(own, for: term)
        #expect(!entry.mayBeReplaced(byUser: 1000))
        entry = DecisionEntry(decision: own)
        entry.temporary = TemporaryDecision(decision(.authorizedAlways), for: term)
        #expect(!entry.mayBeReplaced(byUser: 1000))
        // An administrator of the same uid, by a group or by polkit.
        for name in ["uid:1000", "uid:1000 (polkit)", "uid:1000 (pages)", "uid:10001 (own programs)"] {
            #expect(!DecisionEntry(decision: Decision(.denied, by: name, time: time())).mayBeReplaced(byUser: 1000))
        }
    }

    /// A user's denial of its own programs.
    private func denial(by uid: UInt32, isTransient: Bool = false) -> Decision {
        var decision = Decision(.denied, by: DecisionEntry.user(uid), time: time())
        decision.isTransient = isTransient
        return decision
    }

    /// Lets as many users of a block decide as may; blocks count from 0.
    /// - Returns: the first of them.
    private func fill(_ block: UInt32, of table: inout DecisionTable, isTransient: Bool = false) -> UInt32 {
        let first = (block + 2) << 16
        let last = first + UInt32(DecisionTable.ownDecisionsPerBlock) - 1
        for uid in first..<last { table.decide(denial(by: uid, isTransient: isTransient), about: .uid(uid)) }
        #expect(hasRoom(table, last, isTransient: isTransient))
        table.decide(denial(by: last, isTransient: isTransient), about: .uid(last))
        return first
    }

    private func hasRoom(_ table: DecisionTable, _ uid: UInt32, isTransient: Bool = false) -> Bool {
        table.hasRoom(for: denial(by: uid, isTransient: isTransient), ofUser: uid)
    }

    /// A user may have a range of 65,536 subordinate uids, which must leave room in the file for others.
    @Test func usersOfOneBlockDecideOnlySoMany() {
        var table = DecisionTable()
        let first = fill(0, of: &table)
        let next = first + UInt32(DecisionTable.ownDecisionsPerBlock)
        #expect(!hasRoom(table, next))
        #expect(table.record(request(), of: .uid(next)) == .changed, "who asks is none of them")
        #expect(hasRoom(table, first), "who has decided may change that")
        #expect(hasRoom(table, 200_000) && hasRoom(table, 1000))
        // Those that an administrator has decided about do not count.
        table.decide(decision(.denied), about: .uid(first + 1))
        #expect(hasRoom(table, next))
    }

    @Test func usersOfAllBlocksDecideOnlySoMany() {
        var table = DecisionTable()
        let blocks = UInt32(DecisionTable.ownDecisionLimit / DecisionTable.ownDecisionsPerBlock)
        let firsts = (0..<blocks).map { fill($0, of: &table) }
        let others = (blocks + 2) << 16
        #expect(!hasRoom(table, others))
        #expect(hasRoom(table, firsts[0]) && hasRoom(table, 1000), "the machine's own users decide always")
        // Nor do denials that are not persisted take the place of those that are.
        #expect(hasRoom(table, others, isTransient: true))
        _ = table.reset(.uid(firsts[1]))
        #expect(hasRoom(table, others))
    }

    @Test func transientDenialsLeaveTheRoomOfOthers() {
        var table = DecisionTable()
        let first = fill(0, of: &table, isTransient: true)
        let next = first + UInt32(DecisionTable.ownDecisionsPerBlock)
        #expect(!hasRoom(table, next, isTransient: true) && hasRoom(table, next))
        #expect(hasRoom(table, first), "who has logged in since has its denial persisted")
    }

    /// With as much of others as there may be, a thousand decisions of administrators can be written.
    @Test func administratorsDecisionsAlwaysHaveRoom() throws {
        var table = DecisionTable()
        let purpose = String(repeating: #"\u{7f}"#, count: 256)
        for block in 0..<UInt32(DecisionTable.ownDecisionLimit / DecisionTable.ownDecisionsPerBlock) {
            let first = (block + 60_000) << 16
            for uid in first..<first + UInt32(DecisionTable.ownDecisionsPerBlock) {
                #expect(table.record(request(.always, purpose), of: .uid(uid)) == .changed)
                table.decide(denial(by: uid), about: .uid(uid))
            }
        }
        for uid in 0..<UInt32(DecisionTable.undecidedLimit) {
            #expect(table.record(request(.always, purpose), of: .uid(1_000_000_000 + uid << 16)) == .changed)
        }
        for uid: UInt32 in 1000..<2000 { table.decide(decision(.denied), about: .uid(uid)) }
        #expect(try DecisionTable(decoding: table.encoded()) == table)
    }

    @Test func denialIsForgottenOnlyWhereNothingIsDecidedAboutAForeignUser() {
        var table = DecisionTable()
        #expect(!table.mayForgetDenial(ofUser: 65_535), "the last of the machine's own users")
        #expect(table.mayForgetDenial(ofUser: 65_536))
        table.decide(denial(by: 65_536, isTransient: true), about: .uid(65_536))
        #expect(table.mayForgetDenial(ofUser: 65_536))
        table.decide(denial(by: 65_537), about: .uid(65_537))
        table.decide(decision(.authorizedAlways), about: .uid(65_538))
        #expect(!table.mayForgetDenial(ofUser: 65_537) && !table.mayForgetDenial(ofUser: 65_538))
    }

    @Test func servicesDecideNothing() {
        let service = Principal(uid: 33, pid: 7, groups: [], unit: "navigator.service")
        #expect(policy([ceiling(.everyone)]).ceiling(of: service) == nil)
    }
}
