/// Whether the machine is in a region.
public enum RegionState: String, OpenEnumeration {
    /// Not decided: no fix yet, or none good enough to tell on which side of the border it is.
    case unknown
    case inside
    case outside
}

/// What happened at a region's border.
public enum RegionEvent: String, OpenEnumeration {
    case entered
    case exited
    /// Inside without a break for as long as the region's dwell.
    case dwelled
    /// An event of a later version.
    case unknown
}

/// What is known of a region, and what has just changed.
public struct RegionReport: Sendable, Hashable {
    /// Which region.
    public var identifier: String
    /// Whether the machine is in it.
    public var state: RegionState
    /// What happened; `nil` where only the state is told, as at the beginning.
    public var event: RegionEvent?
    /// The fix that decided the state; `nil` while it is unknown.
    public var location: Location?

    /// A report of a state.
    public init(identifier: String, state: RegionState, event: RegionEvent? = nil, location: Location? = nil) {
        self.identifier = identifier
        self.state = state
        self.event = event
        self.location = location
    }
}
