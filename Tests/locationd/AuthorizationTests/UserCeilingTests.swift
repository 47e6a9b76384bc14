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

    /// A user may have a range of 65,536 subordinate uids, which must leave room in the file for others.
    @Test func usersOfOneBlockDecideOnlySoMany() throws {
        var table = DecisionTable()
        let limit = UInt32(DecisionTable.ownDecisionsPerBlock)
        for uid in 131_072..<131_072 + limit {
            #expect(table.hasRoomForDecision(ofUser: uid))
            table.decide(Decision(.denied, by: DecisionEntry.user(uid), time: time()), about: .uid(uid))
        }
        #expect(!table.hasRoomForDecision(ofUser: 131_072 + limit))
        #expect(table.record(request(), of: .uid(131_072 + limit)) == .changed, "who asks is none of them")
        #expect(table.hasRoomForDecision(ofUser: 131_072), "who has decided may change that")
        #expect(table.hasRoomForDecision(ofUser: 200_000) && table.hasRoomForDecision(ofUser: 1000))
        // Those that an administrator has decided about do not count.
        table.decide(decision(.denied), about: .uid(131_073))
        #expect(table.hasRoomForDecision(ofUser: 131_072 + limit))
        #expect(try table.encoded().count < DecisionTable.byteLimit / 5)
    }

    @Test func servicesDecideNothing() {
        let service = Principal(uid: 33, pid: 7, groups: [], unit: "navigator.service")
        #expect(policy([ceiling(.everyone)]).ceiling(of: service) == nil)
    }
}
