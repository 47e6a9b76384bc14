import Authorization
@_spi(Programs) import LocationModel
import Testing

struct AccessPolicyTests {
    private let policy = AccessPolicy(daemonUID: 200, group: 300, groupName: "locationd")

    @Test(
        arguments: [
            (0, [], true), (200, [], true), (1000, [300], true), (1000, [1, 2, 300, 4], true),
            (1000, [], false), (1000, [200], false), (300, [], false), (201, [301], false),
        ] as [(UInt32, Set<UInt32>, Bool)])
    func trustIsRootTheDaemonAndTheGroup(_ uid: UInt32, _ groups: Set<UInt32>, _ isTrusted: Bool) {
        let principal = Principal(uid: uid, pid: 1, groups: groups)
        #expect(
            Authority(policy: policy).verdict(for: principal).status == (isTrusted ? .authorizedAlways : .notDetermined)
        )
        #expect(policy.mayAdminister(principal) == isTrusted)
        #expect(policy.isExemptFromLimits(principal) == (uid == 0 || uid == 200))
        #expect(principal.description == "uid:\(uid)")
    }

    @Test func withoutTheGroupNobodyIsInIt() {
        let policy = AccessPolicy(daemonUID: 200, group: nil, groupName: "locationd")
        let stranger = Principal(uid: 1000, pid: 1, groups: [0, 300])
        #expect(Authority(policy: policy).verdict(for: stranger).status == .notDetermined)
    }

    @Test func explanationNamesTheGroup() {
        let policy = AccessPolicy(daemonUID: 1, group: 2, groupName: "finders")
        let verdict = Authority(policy: policy).verdict(for: Principal(uid: 1000, pid: 1, groups: []))
        #expect(verdict.reason?.contains("`sudo locctl authorize uid:1000`") == true)
    }
}
