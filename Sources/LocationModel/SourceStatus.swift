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
