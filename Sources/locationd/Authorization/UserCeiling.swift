@_spi(Programs) package import LocationModel

/// The most that users may decide about their own programs, by `[users-decide]` of a policy file.
package struct UserCeiling: Sendable, Hashable {
    package enum Match: Sendable, Hashable {
        case uid(UInt32)
        case group(UInt32)
        case everyone
    }

    /// The highest authorization that they may grant.
    package enum Level: String, Sendable, Hashable, CaseIterable {
        case authorizedAlways, authorizedWhenInUse
        /// They decide nothing.
        case restricted
    }

    package var match: Match
    package var level: Level
    package var accuracy: AccuracyAuthorization
    /// The longest term that they may grant, seconds; `nil` if they may grant without an end.
    package var longest: Double?
    /// Where it is written, such as `/etc/locationd/policy.d/50-locationd-agent.toml:3`.
    package var origin: String

    package init(
        _ match: Match, _ level: Level, accuracy: AccuracyAuthorization = .full, longest: Double? = nil, origin: String
    ) {
        self.match = match
        self.level = level
        self.accuracy = accuracy
        self.longest = longest
        self.origin = origin
    }

    func matches(_ principal: Principal) -> Bool {
        switch match {
        case .uid(let uid): principal.uid == uid
        case .group(let group): principal.groups.contains(group)
        case .everyone: true
        }
    }

    /// The command by which such a user allows as much as it may.
    var command: String {
        OwnDecisionCommand.text(
            whenInUse: level != .authorizedAlways, isReduced: accuracy != .full, longest: longest)
    }

    /// Why a decision would exceed it, and what would not; `nil` if it does not.
    package func objection(to decision: Decision, during duration: Double?) -> String? {
        // Who takes away grants nothing.
        guard decision.answer != .denied else { return nil }
        if decision.answer == .authorizedAlways, level != .authorizedAlways {
            return "\(origin) lets users grant it while they are logged in only; decide with --when-in-use"
        }
        if decision.accuracy == .full, accuracy != .full {
            return "\(origin) lets users grant reduced accuracy only; decide with --reduced"
        }
        if let longest, duration.map({ $0 > longest }) ?? true {
            return "\(origin) lets users grant it for \(Int(longest)) s at most; decide with --for \(Int(longest))s"
        }
        return nil
    }
}

extension AccessPolicy {
    /// What a client's user may decide about its own programs; `nil` if that is nothing. The first ceiling that matches
    /// applies.
    ///
    /// Who is not known by its own socket, whom a rule forbids the position, and the services of the system, in which
    /// no person is, decide nothing.
    package func ceiling(of principal: Principal) -> UserCeiling? {
        guard principal.bridge == nil, principal.unit == nil, !principal.isMakerOfSocket,
            rule(for: principal).outcome != .restricted,
            let ceiling = ceilings.first(where: { $0.matches(principal) }), ceiling.level != .restricted
        else { return nil }
        return ceiling
    }
}

extension DecisionEntry {
    /// Whether its user may replace what holds: nobody has decided, or the user itself has.
    ///
    /// An administrator's decision stands, also a grant: a user who replaced it could lift its limits afterwards.
    package func mayBeReplaced(byUser uid: UInt32) -> Bool {
        [decision, temporary?.decision].allSatisfy { $0.map { $0.by == Self.user(uid) } ?? true }
    }

    /// How a decision names a user who has decided about its own programs. An administrator of that uid has another
    /// name, with a password of polkit's too.
    package static func user(_ uid: UInt32) -> String { "\(Subject.uid(uid)) (own programs)" }
}
