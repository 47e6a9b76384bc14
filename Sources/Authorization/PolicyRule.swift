package import LocationModel

/// One rule of the administrator's policy: whom it is about, and what holds for them.
package struct PolicyRule: Sendable, Hashable {
    package enum Match: Sendable, Hashable {
        case uid(UInt32)
        case group(UInt32)
        case unit(String)
        case bridge(Bridge)
        case everyone
    }

    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case authorizedAlways, authorizedWhenInUse
        /// Never, and no decision changes that.
        case restricted
        /// Whatever was decided; nothing until then.
        case ask
    }

    package var match: Match
    package var outcome: Outcome
    package var accuracy: AccuracyAuthorization
    /// Seconds between two locations, at least.
    package var minimumInterval: Double?
    /// Where it is written, such as `/etc/locationd/policy.toml:12`.
    package var origin: String

    package init(
        _ match: Match, _ outcome: Outcome, accuracy: AccuracyAuthorization = .full, minimumInterval: Double? = nil,
        origin: String
    ) {
        self.match = match
        self.outcome = outcome
        self.accuracy = accuracy
        self.minimumInterval = minimumInterval
        self.origin = origin
    }

    /// On a bridge a rule about who reads it does not count: what it gives them is not for others.
    func matches(_ principal: Principal) -> Bool {
        switch match {
        case .uid(let uid): principal.bridge == nil && principal.uid == uid
        case .group(let group): principal.bridge == nil && principal.groups.contains(group)
        case .unit(let unit): principal.bridge == nil && principal.unit == unit
        case .bridge(let bridge): principal.bridge == bridge
        case .everyone: true
        }
    }
}
