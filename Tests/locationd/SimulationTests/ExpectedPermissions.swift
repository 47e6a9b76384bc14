import Authorization
@_spi(Programs) import LocationModel
import ReferenceModel

/// What each user may know, computed by other means than the daemon's: from the decisions, rules and logins that the
/// simulated machine made.
struct ExpectedPermissions {
    struct Rule {
        var uid: UInt32
        var outcome: PolicyRule.Outcome
        var isReduced = false
        var interval: Double?
    }

    struct Decision: Equatable {
        var answer: Authorization.Decision.Answer
        var isReduced: Bool
    }

    static let daemonUID: UInt32 = 990
    static let group: UInt32 = 64_001
    /// The one user who is in the group.
    static let member: UInt32 = 1004

    var rules: [Rule] = []
    var decisions: [UInt32: Decision] = [:]
    /// What was decided for a while, in place of the other decision.
    var terms: [UInt32: ExpectedTerm] = [:]
    /// The latest end that each user was granted; no restart may give more.
    var latestEnds: [UInt32: BootInstant] = [:]
    var isReadable = true
    var present: Set<UInt32> = []
    /// False if reduced accuracy cannot be given, so that nothing is given in its place.
    var hasReduction = true

    func view(of uid: UInt32) -> ExpectedView {
        let rule = rules.first { $0.uid == uid }
        let isTrusted = [0, Self.daemonUID, Self.member].contains(uid)
        var outcome = rule?.outcome ?? (isTrusted ? .authorizedAlways : .ask)
        var isReduced = rule?.isReduced ?? false
        guard outcome != .restricted else { return .nothing }
        if !isReadable {
            guard uid == 0 || uid == Self.daemonUID else { return .nothing }
            if outcome == .ask { outcome = .authorizedAlways }
        } else if let decision = terms[uid]?.decision ?? decisions[uid] {
            isReduced = isReduced || decision.isReduced
            switch decision.answer {
            case .denied: return .nothing
            case .authorizedWhenInUse: outcome = .authorizedWhenInUse
            case .authorizedAlways: outcome = .authorizedAlways
            }
        }
        switch outcome {
        case .ask, .restricted: return .nothing
        case .authorizedWhenInUse where !present.contains(uid): return .nothing
        case .authorizedWhenInUse, .authorizedAlways: break
        }
        if isReduced { return hasReduction ? .reduced(interval: rule?.interval ?? 0) : .nothing }
        return rule?.interval.map { .paced(principal: "\(uid)", interval: $0) } ?? .full
    }

    /// True if a rule reduces the user's accuracy, so that no full accuracy can be granted for a while.
    func reduces(_ uid: UInt32) -> Bool { rules.first { $0.uid == uid }?.isReduced ?? false }

    /// True if no decision but a denial can be made about the user.
    func isRestricted(_ uid: UInt32) -> Bool { rules.first { $0.uid == uid }?.outcome == .restricted }

    var policy: AccessPolicy {
        AccessPolicy(
            daemonUID: Self.daemonUID, group: Self.group, groupName: "locationd",
            rules: rules.map {
                PolicyRule(
                    .uid($0.uid), $0.outcome, accuracy: $0.isReduced ? .reduced : .full, minimumInterval: $0.interval,
                    origin: "the test")
            })
    }

    /// Takes what a restart finds in place of what was decided since.
    mutating func readAgain(_ table: DecisionTable, at time: VirtualTime) {
        decisions = [:]
        terms = [:]
        for (subject, entry) in table.entries {
            guard case .uid(let uid) = subject else { continue }
            if let decision = entry.decision {
                decisions[uid] = Decision(answer: decision.answer, isReduced: decision.accuracy != .full)
            }
            guard let temporary = entry.temporary else { continue }
            terms[uid] = ExpectedTerm(
                Decision(answer: temporary.decision.answer, isReduced: temporary.decision.accuracy != .full),
                written: temporary.term, at: time)
        }
    }
}
