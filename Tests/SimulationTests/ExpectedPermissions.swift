import Authorization
import LocationModel
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
        } else if let decision = decisions[uid] {
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
    mutating func readAgain(_ table: DecisionTable) {
        decisions = [:]
        for (subject, entry) in table.entries {
            guard case .uid(let uid) = subject, let decision = entry.decision else { continue }
            decisions[uid] = Decision(answer: decision.answer, isReduced: decision.accuracy != .full)
        }
    }
}
