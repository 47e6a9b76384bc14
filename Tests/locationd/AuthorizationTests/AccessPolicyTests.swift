import Authorization
import Testing

/// The first rule that matches holds, the built-in ones last.
struct AccessPolicyTests {
    private func policy(_ rules: [PolicyRule] = [], group: UInt32? = 50) -> AccessPolicy {
        AccessPolicy(daemonUID: 990, group: group, groupName: "locationd", rules: rules)
    }

    private func client(_ uid: UInt32, groups: Set<UInt32> = [100], unit: String? = nil) -> Principal {
        Principal(uid: uid, pid: 1, groups: groups, unit: unit)
    }

    private func rule(_ match: PolicyRule.Match, _ outcome: PolicyRule.Outcome) -> PolicyRule {
        PolicyRule(match, outcome, origin: "\(match)")
    }

    @Test func shippedPolicyTrustsThreeAndAsksTheRest() {
        let policy = policy()
        for trusted in [client(0), client(990), client(1000, groups: [100, 50])] {
            #expect(policy.rule(for: trusted).outcome == .authorizedAlways)
            #expect(policy.mayAdminister(trusted))
        }
        for other in [client(1000), client(50), client(1000, unit: "a.service"), client(1000, groups: [])] {
            #expect(policy.rule(for: other).outcome == .ask)
            #expect(!policy.mayAdminister(other))
        }
        #expect(policy.rule(for: client(0)).origin == "the built-in policy")
    }

    @Test func firstRuleThatNamesAProgramDecidesWhetherItServesOthers() {
        func serving(_ match: PolicyRule.Match, _ mayServe: Bool = true) -> PolicyRule {
            PolicyRule(match, .restricted, mayServeOthers: mayServe, origin: "the test")
        }
        let portal = client(998, groups: [998, 50], unit: "portal.service")
        #expect(!policy().mayServeOthers(portal), "not even a member of the trusted group")
        for match in [PolicyRule.Match.uid(998), .unit("portal.service")] {
            #expect(policy([serving(match)]).mayServeOthers(portal))
            #expect(policy([rule(.everyone, .ask), rule(.group(998), .ask), serving(match)]).mayServeOthers(portal))
            #expect(
                !policy([serving(match, false), serving(.uid(998)), serving(.unit("portal.service"))])
                    .mayServeOthers(portal))
            #expect(!policy([serving(match)]).mayServeOthers(client(999, groups: [998], unit: "other.service")))
            #expect(!policy([serving(match)]).mayServeOthers(portal.reading(.nmea)), "a bridge's readers are many")
            #expect(!policy([serving(match)], group: nil).mayAdminister(portal))
            #expect(!policy([serving(match)]).isExemptFromLimits(portal))
        }
        let rules = [serving(.uid(998)), serving(.uid(997), false), serving(.unit("portal.service"))]
        #expect(policy(rules).usersServingOthers == [998])
        for trusted in [client(0), client(990)] {
            #expect(policy([serving(.uid(trusted.uid), false)]).mayServeOthers(trusted), "they always may")
        }
    }

    @Test func withoutTheGroupNobodyIsInIt() {
        let policy = policy(group: nil)
        #expect(policy.rule(for: client(1000, groups: [0, 50, 100])).outcome == .ask)
        #expect(!policy.mayAdminister(client(1000, groups: [0])))
        #expect(policy.mayAdminister(client(0)) && policy.mayAdminister(client(990)))
    }

    @Test func onlyUsersAreSparedAndNoGroup() {
        let policy = policy([rule(.everyone, .restricted)])
        #expect(policy.isExemptFromLimits(client(0)) && policy.isExemptFromLimits(client(990)))
        #expect(!policy.isExemptFromLimits(client(1000, groups: [0, 50])))
    }

    @Test func firstRuleThatMatchesHolds() {
        let ofUser = rule(.uid(1000), .authorizedWhenInUse)
        let ofGroup = rule(.group(50), .restricted)
        let ofUnit = rule(.unit("a.service"), .authorizedAlways)
        let ofAll = rule(.everyone, .ask)
        let principal = client(1000, groups: [50], unit: "a.service")
        for rules in [[ofUser, ofGroup, ofUnit, ofAll], [ofGroup, ofUser], [ofUnit, ofGroup], [ofAll, ofUser]] {
            #expect(policy(rules).rule(for: principal) == rules.first)
            #expect(
                policy(
                    [rule(.uid(1), .restricted), rule(.group(1), .restricted), rule(.unit("b.service"), .ask)]
                        + rules
                ).rule(for: principal) == rules.first, "what does not match is passed over")
        }
    }

    @Test func administratorsRulesGoBeforeTheBuiltIn() {
        let policy = policy([rule(.everyone, .restricted)])
        for principal in [client(0), client(990), client(1000, groups: [50]), client(1000)] {
            #expect(policy.rule(for: principal).outcome == .restricted)
        }
        #expect(policy.mayAdminister(client(0)), "a rule about the position takes no power")
    }

    @Test func unitRuleNeedsAUnitTheKernelVouchesFor() {
        let policy = policy([rule(.unit("a.service"), .authorizedAlways)])
        #expect(policy.rule(for: client(1000, unit: "a.service")).outcome == .authorizedAlways)
        #expect(policy.rule(for: client(1000)).outcome == .ask)
        #expect(policy.unitRules == policy.rules)
        #expect(self.policy([rule(.everyone, .ask), rule(.uid(1), .ask), rule(.group(1), .ask)]).unitRules == [])
    }

    @Test func restrictionOfASubjectIsTheFirstRuleAboutIt() {
        let user = Subject.uid(1000)
        let unit = Subject.unit("a.service")
        let all = rule(.everyone, .restricted)
        #expect(policy().restriction(of: user) == nil)
        #expect(policy([all]).restriction(of: user) == all && policy([all]).restriction(of: unit) == all)
        let ofUser = rule(.uid(1000), .restricted)
        #expect(policy([ofUser]).restriction(of: user) == ofUser && policy([ofUser]).restriction(of: unit) == nil)
        let ofUnit = rule(.unit("a.service"), .restricted)
        #expect(policy([ofUnit]).restriction(of: unit) == ofUnit && policy([ofUnit]).restriction(of: user) == nil)
        for outcome in [PolicyRule.Outcome.ask, .authorizedAlways, .authorizedWhenInUse] {
            #expect(policy([rule(.uid(1000), outcome), all]).restriction(of: user) == nil)
            #expect(policy([rule(.uid(1001), outcome), all]).restriction(of: user) == all)
        }
        #expect(policy([rule(.group(50), .restricted)]).restriction(of: user) == nil, "its groups are not known")
    }
}
