/// The answer to "why is there a fix, or none, for me?".
public struct ServiceStatus: Sendable, Hashable, Codable {
    /// Whether the asker may know the position.
    public var authorization: AuthorizationStatus
    /// How precisely.
    public var accuracy: AccuracyAuthorization
    /// False while the administrator has switched the service off.
    public var enabled: Bool
    /// How far the way from receiver to fix has come.
    public var source: SourceState
    /// Why there is no fix and what to do, in words.
    public var reason: String?
    /// Seconds since the newest fix reached the daemon; `nil` if there has been none.
    public var fixAge: Double?
    /// Satellites in view.
    public var satellitesVisible: Int?
    /// Satellites used.
    public var satellitesUsed: Int?
    /// True while somebody has still to decide whether the asker may know.
    public var authorizationPending: Bool
    /// Whether a compass reports; `nil` while nobody can tell.
    public var headingAvailable: Bool?
    /// The source whose fixes are given out; `nil` while there is no fix, and for who does not see every fix.
    public var sourceName: String?
    /// Where several sources are configured, all of them by rank, the preferred one first; `nil` for who does not see
    /// every fix. What changes here alone is not announced.
    public var sources: [RankedSource]?

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
        headingAvailable = source.headingAvailable
        sourceName = source.name
        sources = source.ranking
    }
}

/// What the sources of locations are doing, for everybody alike.
public struct SourceStatus: Sendable, Hashable {
    /// How far the way to a fix has come.
    public var state: SourceState
    /// Why there is no fix and what to do, in words; `nil` when there is nothing to explain.
    public var reason: String?
    /// The source whose fixes are given out; `nil` while there is no fix.
    public var name: String?
    /// All sources by rank, the preferred one first; `nil` where there is but one.
    public var ranking: [RankedSource]?
    /// Satellites in view of the followed receiver.
    public var satellitesVisible: Int?
    /// Those of them that go into the fix.
    public var satellitesUsed: Int?
    /// Whether a compass reports; `nil` while nobody can tell.
    public var headingAvailable: Bool?

    /// A status with nothing more to say than the state.
    public init(state: SourceState, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}

/// How far the way from receiver to fix has come.
public enum SourceState: String, OpenEnumeration {
    /// Nobody asks, or the service is switched off.
    case stopped
    /// Connecting to what delivers fixes.
    case starting
    /// Connected; no fix yet.
    case searching
    /// Fixes arrive.
    case tracking
    /// There was a fix; there is none now.
    case lost
    /// Cannot be reached at present; retries go on.
    case unavailable
    /// A state of a later version.
    case unknown
}

/// One of several configured sources, and how it stands beside the others.
public struct RankedSource: Sendable, Hashable, Codable {
    /// The name the configuration gives it.
    public var name: String
    /// How far its own way to a fix has come; `stopped` while it is not needed.
    public var state: SourceState
    /// Why it has no fix and what to do, in words.
    public var reason: String?
    /// Seconds since its newest fix reached the daemon; `nil` if it has had none.
    public var fixAge: Double?

    /// A source of which no more is known than its state.
    public init(name: String, state: SourceState, reason: String? = nil, fixAge: Double? = nil) {
        self.name = name
        self.state = state
        self.reason = reason
        self.fixAge = fixAge
    }
}
