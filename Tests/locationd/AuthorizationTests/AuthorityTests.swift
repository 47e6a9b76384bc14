import Authorization
@_spi(Programs) import LocationModel
import Testing

/// Restricted by policy, then decided, then what else the policy says.
struct AuthorityTests {
    private static let unit = "navigator.service"
    private static let outcomes: [PolicyRule.Outcome: AuthorizationStatus] = [
        .restricted: .restricted, .ask: .notDetermined, .authorizedWhenInUse: .authorizedWhenInUse,
        .authorizedAlways: .authorizedAlways,
    ]
    private static let answers: [Decision.Answer: AuthorizationStatus] = [
        .denied: .denied, .authorizedWhenInUse: .authorizedWhenInUse, .authorizedAlways: .authorizedAlways,
    ]
    private let client = Principal(uid: 1000, pid: 1, groups: [100])
    private let service = Principal(uid: 1000, pid: 1, groups: [100], unit: AuthorityTests.unit)
    private let member = Principal(uid: 1000, pid: 1, groups: [100, 50])
    private let root = Principal(uid: 0, pid: 1, groups: [0])
    private let daemon = Principal(uid: 990, pid: 1, groups: [990])

    private func authority(
        _ outcome: PolicyRule.Outcome? = nil, _ accuracy: AccuracyAuthorization = .full, interval: Double? = nil,
        knowing entries: [Subject: DecisionEntry] = [:], unreadable reason: String? = nil
    ) -> Authority {
        let rule = outcome.map {
            PolicyRule(.everyone, $0, accuracy: accuracy, minimumInterval: interval, origin: "policy.toml:12")
        }
        return Authority(
            policy: AccessPolicy(
                daemonUID: 990, group: 50, groupName: "locationd", rules: rule.map { [$0] } ?? []),
            decisions: reason.map(Authority.Decisions.unreadable) ?? .known(DecisionTable(entries: entries)))
    }

    @Test func restrictedBeatsDecisionBeatsPolicy() {
        for (outcome, ofPolicy) in Self.outcomes {
            #expect(authority(outcome).verdict(for: client).status == ofPolicy)
            for (answer, decided) in Self.answers {
                let verdict = authority(outcome, knowing: [.uid(1000): DecisionEntry(decision: decision(answer))])
                    .verdict(for: client)
                #expect(verdict.status == (outcome == .restricted ? .restricted : decided), "\(outcome) \(answer)")
            }
        }
    }

    @Test func decisionHoldsForTheTrustedToo() {
        for trusted in [root, daemon, member] {
            let denied = authority(nil, knowing: [.uid(trusted.uid): DecisionEntry(decision: decision(.denied))])
            #expect(denied.verdict(for: trusted).status == .denied)
            #expect(authority().verdict(for: trusted) == Verdict(.authorizedAlways))
        }
    }

    @Test func unitBeatsUserAndDenialBeatsAll() {
        func status(unit: Decision.Answer, user: Decision.Answer) -> Verdict {
            authority(
                knowing: [
                    .unit(Self.unit): DecisionEntry(decision: decision(unit)),
                    .uid(1000): DecisionEntry(decision: decision(user)),
                ]
            ).verdict(for: service)
        }
        #expect(status(unit: .authorizedWhenInUse, user: .authorizedAlways).status == .authorizedWhenInUse)
        #expect(status(unit: .authorizedAlways, user: .authorizedWhenInUse).status == .authorizedAlways)
        #expect(status(unit: .authorizedAlways, user: .denied).reason?.contains("to uid:1000,") == true)
        #expect(status(unit: .denied, user: .authorizedAlways).reason?.contains("to unit:\(Self.unit),") == true)
        #expect(status(unit: .denied, user: .authorizedAlways).status == .denied)
    }

    @Test func accuracyIsTheCoarserOfRuleAndDecision() {
        let accuracies: [AccuracyAuthorization] = [.full, .reduced, .unknown]
        for ofRule in accuracies {
            #expect(authority(.authorizedAlways, ofRule).verdict(for: client).accuracy == ofRule)
            for ofDecision in accuracies {
                let entries: [Subject: DecisionEntry] = [
                    .uid(1000): DecisionEntry(decision: decision(.authorizedAlways, ofDecision))
                ]
                let isFull = ofRule == .full && ofDecision == .full
                #expect(
                    authority(.ask, ofRule, knowing: entries).verdict(for: client).accuracy
                        == (isFull ? .full : .reduced))
            }
        }
    }

    @Test func intervalOfTheRuleStaysWithTheDecision() {
        let entries: [Subject: DecisionEntry] = [.uid(1000): DecisionEntry(decision: decision(.authorizedAlways))]
        #expect(authority(.ask, interval: 30, knowing: entries).verdict(for: client).minimumInterval == 30)
        #expect(authority(.authorizedWhenInUse, interval: 30).verdict(for: client).minimumInterval == 30)
        #expect(authority(.authorizedAlways).verdict(for: client).minimumInterval == nil)
    }

    @Test func pendingIsTold() {
        let asked: [Subject: DecisionEntry] = [.uid(1000): DecisionEntry(request: request())]
        #expect(authority(nil, knowing: asked).verdict(for: client).isPending)
        #expect(authority(nil, knowing: asked).verdict(for: client).status == .notDetermined)
        #expect(!authority(nil, knowing: asked).verdict(for: service).isPending, "its unit did not ask")
        #expect(!authority().verdict(for: client).isPending)
        let more: [Subject: DecisionEntry] = [
            .uid(1000): DecisionEntry(request: request(.always, at: 1), decision: decision(.authorizedWhenInUse))
        ]
        #expect(authority(nil, knowing: more).verdict(for: client) == Verdict(.authorizedWhenInUse, isPending: true))
        #expect(!authority(.restricted, knowing: asked).verdict(for: client).isPending, "nobody can decide it")
    }

    @Test func reasonsNameTheNextStep() {
        #expect(
            authority(.restricted).verdict(for: client).reason
                == "policy.toml:12 forbids it; an administrator can change that rule")
        let denied: [Subject: DecisionEntry] = [.uid(1000): DecisionEntry(decision: decision(.denied))]
        #expect(
            authority(nil, knowing: denied).verdict(for: client).reason
                == "an administrator denied it to uid:1000, and allows it by `sudo locctl authorize uid:1000`")
        let way =
            "an administrator allows it by `sudo locctl authorize uid:1000`"
        #expect(authority().verdict(for: client).reason == "nobody has been asked yet; " + way)
        let asked: [Subject: DecisionEntry] = [.uid(1000): DecisionEntry(request: request())]
        #expect(authority(nil, knowing: asked).verdict(for: client).reason == "nobody has decided yet; " + way)
        #expect(authority().verdict(for: service).reason?.contains("`sudo locctl authorize unit:\(Self.unit)`") == true)
        for outcome in [PolicyRule.Outcome.authorizedAlways, .authorizedWhenInUse] {
            #expect(authority(outcome).verdict(for: client).reason == nil)
        }
    }

    @Test func unreadableDecisionsRefuseAllButRootAndTheDaemon() {
        for outcome in [nil, .ask, .authorizedAlways, .authorizedWhenInUse, .restricted] as [PolicyRule.Outcome?] {
            let authority = authority(outcome, unreadable: "the file is torn")
            for refused in [client, service, member] {
                #expect(authority.verdict(for: refused) == Verdict(.restricted, reason: "the file is torn"))
            }
        }
        for spared in [root, daemon] {
            #expect(authority(unreadable: "torn").verdict(for: spared) == Verdict(.authorizedAlways))
            #expect(authority(.ask, unreadable: "torn").verdict(for: spared) == Verdict(.authorizedAlways))
        }
    }

    /// What is kept for a user of whom it is said would make room for others.
    @Test func userMayNotKnowOnlyIfNoneOfItsProcessesMay() {
        let matches = [PolicyRule.Match.uid(1000), .uid(1001), .group(50), .unit(Self.unit), .everyone]
        let rules = matches.flatMap { match in
            PolicyRule.Outcome.allCases.map { PolicyRule(match, $0, origin: "policy.toml:1") }
        }
        let everyProcess = [[100], [100, 50]].flatMap { groups in
            [nil, Self.unit].map { Principal(uid: 1000, pid: 1, groups: Set(groups), unit: $0) }
        }
        var told: [Bool?: Int] = [:]
        for first in rules {
            for second in rules {
                for answer in [nil, .denied, .authorizedAlways] as [Decision.Answer?] {
                    var authority = authority(
                        knowing: answer.map { [.uid(1000): DecisionEntry(decision: decision($0))] } ?? [:])
                    authority.policy.rules = [first, second]
                    let statuses = everyProcess.map { authority.verdict(for: $0).status }
                    let isAuthorized = authority.isAuthorized(uid: 1000)
                    let noneMay = statuses.allSatisfy { [.restricted, .denied].contains($0) }
                    if isAuthorized == false { #expect(noneMay, "\(first) \(second)") }
                    if isAuthorized == true { #expect(!noneMay, "\(first) \(second)") }
                    told[isAuthorized, default: 0] += 1
                }
            }
        }
        #expect(told.count == 3, "each is told of some")
        #expect(authority(.restricted, unreadable: "torn").isAuthorized(uid: 1000) == nil)
    }

    @Test func unreadableDecisionsLiftNoRule() {
        for spared in [root, daemon] {
            #expect(
                authority(.restricted, unreadable: "torn").verdict(for: spared)
                    == authority(.restricted).verdict(for: spared))
            let limited = authority(.authorizedWhenInUse, .reduced, interval: 60, unreadable: "torn")
            #expect(
                limited.verdict(for: spared)
                    == Verdict(.authorizedWhenInUse, accuracy: .reduced, minimumInterval: 60))
        }
    }
}
