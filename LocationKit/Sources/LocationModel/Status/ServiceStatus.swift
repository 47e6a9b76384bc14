/// The state of the service as one client may see it: whether there is a fix for it, and why not.
public struct ServiceStatus: Sendable, Hashable, Codable {
    /// Whether the client may know the position.
    public var authorization: AuthorizationStatus
    /// How precisely the client may know it.
    public var accuracy: AccuracyAuthorization
    /// False while the administrator has switched the service off.
    public var enabled: Bool
    /// The state of the sources.
    public var source: SourceState
    /// Why there is no fix and what to do, in words.
    public var reason: String?
    /// Seconds since the newest fix reached the daemon; `nil` if there has been none.
    public var fixAge: Double?
    /// Satellites in view.
    public var satellitesVisible: Int?
    /// Satellites used.
    public var satellitesUsed: Int?
    /// True while an administrator has yet to decide whether the client may know the position.
    public var authorizationPending: Bool
    /// True while an administrator has yet to decide whether the client may have full accuracy; else `nil`.
    public var fullAccuracyPending: Bool?
    /// Seconds until an authorization with a term ends, and the former one holds again; `nil` for one without.
    public var authorizationRemaining: Double?
    /// True if the machine has stood at one place for a minute; `nil` while it moves or that is unknown, and for
    /// clients without full accuracy.
    public var stationary: Bool?
    /// True while the watch is paused because the machine is stationary; `nil` for a watch that is not.
    public var paused: Bool?
    /// Whether a compass reports, or one is configured that has not failed; `nil` while that is unknown.
    public var headingAvailable: Bool?
    /// The source whose fixes are used; `nil` while there is no fix, and for clients without full accuracy.
    public var sourceName: String?
    /// All configured sources by rank, the preferred one first, if there are several; `nil` for clients without full
    /// accuracy. A change in this member alone is not announced.
    public var sources: [RankedSource]?
    /// The configured sources of headings alone, if there are any, `tracking` while their headings are delivered; `nil`
    /// for clients without full accuracy. A change in this member alone is not announced.
    public var compasses: [RankedSource]?

    /// A status by its parts.
    public init(
        authorization: AuthorizationStatus, accuracy: AccuracyAuthorization, enabled: Bool, source: SourceStatus,
        fixAge: Double? = nil, authorizationPending: Bool = false
    ) {
        self.authorization = authorization
        self.accuracy = accuracy
        self.enabled = enabled
        self.source = source.state
        reason = source.reason
        self.fixAge = fixAge
        satellitesVisible = source.satellitesVisible
        satellitesUsed = source.satellitesUsed
        self.authorizationPending = authorizationPending
        stationary = source.isStationary ? true : nil
        headingAvailable = source.headingAvailable
        sourceName = source.name
        sources = source.ranking
        compasses = source.compasses
    }
}

/// The state of the sources, independent of the client.
public struct SourceStatus: Sendable, Hashable {
    /// The state of the sources together.
    public var state: SourceState
    /// Why there is no fix and what to do, in words; `nil` when there is nothing to explain.
    public var reason: String?
    /// The source whose fixes are used; `nil` while there is no fix.
    public var name: String?
    /// All sources by rank, the preferred one first; `nil` if there is only one.
    public var ranking: [RankedSource]?
    /// The sources of headings alone; `nil` if there are none.
    public var compasses: [RankedSource]?
    /// Satellites in view of the followed receiver.
    public var satellitesVisible: Int?
    /// Satellites used in the fix.
    public var satellitesUsed: Int?
    /// Whether a compass reports; `nil` while that is unknown.
    public var headingAvailable: Bool?
    /// Whether the machine is known to have stood at one place for a minute.
    public var isStationary = false

    /// A status with only a state and a reason.
    public init(state: SourceState, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}

/// The state of one source, or of all together.
public enum SourceState: String, OpenEnumeration {
    /// There is no demand, or the service is switched off.
    case stopped
    /// Connecting to the receivers.
    case starting
    /// Connected; no fix yet.
    case searching
    /// Fixes arrive.
    case tracking
    /// There was a fix; there is none now.
    case lost
    /// Cannot be reached at present, or there is no receiver; retries go on.
    case unavailable
    /// A state of a later version.
    case unknown
}

/// One of several configured sources, and its state.
public struct RankedSource: Sendable, Hashable, Codable {
    /// Its name in the configuration.
    public var name: String
    /// Its own state; `stopped` while it is not needed.
    public var state: SourceState
    /// Why it has no fix and what to do, or why it is not used although it has one, in words.
    public var reason: String?
    /// Seconds since its newest fix reached the daemon; `nil` if it has had none.
    public var fixAge: Double?

    /// A source with only its state and reason.
    public init(name: String, state: SourceState, reason: String? = nil, fixAge: Double? = nil) {
        self.name = name
        self.state = state
        self.reason = reason
        self.fixAge = fixAge
    }
}

extension KeyedDecodingContainer {
    /// What the decoding of ``ServiceStatus`` calls for its lists, in place of the standard library's.
    func decodeIfPresent(_ type: [RankedSource].Type, forKey key: Key) throws -> [RankedSource]? {
        // More than anybody configures.
        try decodeListIfPresent(atMost: 256, forKey: key)
    }

    /// Decodes a list that has no more elements than the limit.
    @_spi(Programs) public func decodeListIfPresent<Element: Decodable>(
        atMost limit: Int, forKey key: Key
    ) throws -> [Element]? {
        let list = try decodeIfPresent([Element].self, forKey: key)
        guard (list?.count ?? 0) <= limit else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "it has more than \(limit) elements")
        }
        return list
    }
}
