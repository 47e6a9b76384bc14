import Authorization
@_spi(Programs) import LocationModel
import Testing

/// Over TCP the kernel names who has made a socket, and root makes sockets for programs of others.
struct SocketMakerTests {
    private static let (daemon, group): (UInt32, UInt32) = (990, 50)

    private func verdict(
        of uid: UInt32, groups: Set<UInt32> = [], maker: Bool = true, _ rules: [PolicyRule] = [],
        knowing entries: [Subject: Decision] = [:]
    ) -> Verdict {
        let policy = AccessPolicy(daemonUID: Self.daemon, group: Self.group, groupName: "locationd", rules: rules)
        let table = DecisionTable(entries: entries.mapValues { DecisionEntry(decision: $0) })
        return Authority(policy: policy, decisions: .known(table)).verdict(
            for: Principal(uid: uid, pid: 1, groups: groups, isMakerOfSocket: maker))
    }

    @Test(arguments: [0, daemon]) func rootAndTheDaemonsUserAreUndecided(uid: UInt32) {
        // The daemon's user is in the trusted group.
        let verdict = verdict(of: uid, groups: [uid, Self.group])
        #expect(verdict.status == .notDetermined)
        #expect(verdict.reason?.contains("locationd-bridge-unix.socket") == true)
        #expect(verdict.reason?.contains("`sudo locctl authorize uid:\(uid)`") == true)
        #expect(verdict.reason.map { $0.utf8.count } ?? 0 <= 250, "clients of gpsd's protocol hold no more")
        #expect(self.verdict(of: uid, groups: [uid, Self.group], maker: false).status == .authorizedAlways)
    }

    @Test(arguments: [0, daemon]) func rulesAndDecisionsAboutThemHold(uid: UInt32) {
        #expect(verdict(of: uid, knowing: [.uid(uid): decision(.authorizedAlways)]).status == .authorizedAlways)
        #expect(verdict(of: uid, knowing: [.uid(uid): decision(.denied)]).status == .denied)
        for match in [PolicyRule.Match.uid(uid), .everyone] {
            let rule = PolicyRule(match, .authorizedAlways, origin: "policy.toml:1")
            #expect(verdict(of: uid, [rule]).status == .authorizedAlways)
        }
    }

    @Test func membersOfTheGroupMakeTheirSocketsThemselves() {
        #expect(verdict(of: 1000, groups: [Self.group]).status == .authorizedAlways)
        #expect(verdict(of: 1000).status == .notDetermined)
        #expect(verdict(of: 1000).reason?.contains("unix.socket") == false)
    }

    @Test func theyAreNeitherAdministratorsNorExempt() {
        let policy = AccessPolicy(daemonUID: Self.daemon, group: Self.group, groupName: "locationd")
        for uid in [0, Self.daemon] {
            let principal = Principal(uid: uid, pid: 1, groups: [Self.group], isMakerOfSocket: true)
            #expect(!policy.mayAdminister(principal) && !policy.isExemptFromLimits(principal))
            #expect(!policy.mayServeOthers(principal))
        }
    }

    @Test func unreadableDecisionsShutThemOut() {
        let policy = AccessPolicy(daemonUID: Self.daemon, group: nil, groupName: "")
        let authority = Authority(policy: policy, decisions: .unreadable("torn"))
        for uid in [0, Self.daemon] {
            let maker = Principal(uid: uid, pid: 1, groups: [], isMakerOfSocket: true)
            #expect(authority.verdict(for: maker) == Verdict(.restricted, reason: "torn"))
        }
    }
}
