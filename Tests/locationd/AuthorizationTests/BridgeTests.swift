import Authorization
@_spi(Programs) import LocationModel
import Testing

/// What goes out through a bridge is decided about by itself, whoever reads it.
struct BridgeTests {
    private let geoclue = Principal(uid: 115, pid: 1, groups: [115], unit: "geoclue.service")
    private let root = Principal(uid: 0, pid: 1, groups: [0])
    private static let bridge = Subject.bridge(.nmea)

    private func verdict(
        for reader: Principal, _ rules: [PolicyRule] = [], knowing entries: [Subject: Decision] = [:]
    ) -> Verdict {
        let policy = AccessPolicy(daemonUID: 990, group: 50, groupName: "locationd", rules: rules)
        let table = DecisionTable(entries: entries.mapValues { DecisionEntry(decision: $0) })
        return Authority(policy: policy, decisions: .known(table)).verdict(for: reader.reading(.nmea))
    }

    private func rule(_ match: PolicyRule.Match, _ outcome: PolicyRule.Outcome) -> PolicyRule {
        PolicyRule(match, outcome, origin: "policy.toml:1")
    }

    @Test func itIsAPrincipalOfItsOwn() {
        let reader = geoclue.reading(.nmea)
        #expect(reader.description == "bridge:nmea" && reader.subjects == [Self.bridge])
        #expect(reader.uid == 115 && reader.pid == 1 && reader.groups == [115])
        #expect(reader != geoclue)
        #expect(reader.isConcerned(by: .uid(115)) && reader.isConcerned(by: .unit("geoclue.service")))
        #expect(!reader.isConcerned(by: .uid(0)) && !geoclue.isConcerned(by: Self.bridge))
    }

    @Test func nothingGoesOutUndecidedWhoeverReads() {
        for reader in [
            root, Principal(uid: 990, pid: 1, groups: []), Principal(uid: 1000, pid: 1, groups: [50]), geoclue,
        ] {
            let verdict = verdict(for: reader)
            #expect(verdict.status == .notDetermined)
            #expect(verdict.reason?.contains("`sudo locctl authorize bridge:nmea`") == true)
        }
    }

    @Test func decisionsAboutItHold() {
        #expect(verdict(for: geoclue, knowing: [Self.bridge: decision(.denied)]).status == .denied)
        let reduced = verdict(for: geoclue, knowing: [Self.bridge: decision(.authorizedAlways, .reduced)])
        #expect(reduced == Verdict(.authorizedAlways, accuracy: .reduced))
    }

    @Test func whatReadersAreGivenIsNotForOthers() {
        let entries = [
            Subject.uid(115): decision(.authorizedAlways), .unit("geoclue.service"): decision(.authorizedAlways),
        ]
        #expect(verdict(for: geoclue, knowing: entries).status == .notDetermined)
        let rules = [
            rule(.uid(115), .authorizedAlways), rule(.group(115), .authorizedAlways),
            rule(.unit("geoclue.service"), .authorizedAlways),
        ]
        #expect(verdict(for: geoclue, rules).status == .notDetermined)
    }

    @Test func whoIsRefusedByThemselvesIsRefusedHereToo() {
        let allowed = [Self.bridge: decision(.authorizedAlways)]
        #expect(verdict(for: geoclue, knowing: allowed).status == .authorizedAlways)
        for match in [PolicyRule.Match.uid(115), .group(115), .unit("geoclue.service"), .everyone] {
            #expect(verdict(for: geoclue, [rule(match, .restricted)], knowing: allowed).status == .restricted)
        }
        for subject in [Subject.uid(115), .unit("geoclue.service")] {
            let entries = allowed.merging([subject: decision(.denied)]) { $1 }
            #expect(verdict(for: geoclue, knowing: entries).status == .denied)
        }
    }

    @Test func rulesAboutItAndAboutEveryoneHold() {
        let always = rule(.bridge(.nmea), .authorizedAlways)
        #expect(verdict(for: geoclue, [always]).status == .authorizedAlways)
        #expect(verdict(for: geoclue, [rule(.everyone, .authorizedAlways), always]).status == .authorizedAlways)
        let restricted = rule(.bridge(.nmea), .restricted)
        let policy = AccessPolicy(daemonUID: 990, group: 50, groupName: "locationd", rules: [restricted])
        #expect(policy.rule(for: geoclue).outcome == .ask, "GeoClue for itself is another principal")
        #expect(policy.restriction(of: Self.bridge) == restricted)
        #expect(policy.restriction(of: .uid(115)) == nil)
        #expect(
            verdict(for: root, [restricted], knowing: [Self.bridge: decision(.authorizedAlways)]).status == .restricted)
    }

    @Test func unreadableDecisionsShutIt() {
        let policy = AccessPolicy(
            daemonUID: 990, group: nil, groupName: "", rules: [rule(.everyone, .authorizedAlways)])
        let authority = Authority(policy: policy, decisions: .unreadable("torn"))
        for reader in [root, geoclue] {
            #expect(authority.verdict(for: reader.reading(.nmea)) == Verdict(.restricted, reason: "torn"))
        }
    }
}
