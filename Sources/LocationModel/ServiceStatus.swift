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
