/// Whether the machine is in a region.
///
/// A fix is a circle around its position, as wide as its horizontal accuracy, or 100 m where that is unknown. It speaks
/// for ``inside`` when the whole circle is inside, and for ``outside`` when the whole circle is outside; to have left, the
/// position must be 20 m outside besides. A fix whose circle the border crosses changes nothing, so that a region smaller
/// than the accuracy is not decided.
///
/// The state changes when two fixes in a row, at least half a second apart, speak for another one; or by a single fix
/// whose position is at least three times its accuracy, and 60 m, from the border. The state that is decided first is
/// told without an event, for nothing is known of what was before, but that of a monitor with a name is remembered.
public enum RegionState: String, OpenEnumeration {
    /// Not decided: no fix yet, or none good enough to tell on which side of the border it is.
    case unknown
    /// Wholly within the border.
    case inside
    /// Wholly beyond it.
    case outside
}

/// What happened at a region's border.
public enum RegionEvent: String, OpenEnumeration {
    /// It was outside, and is inside.
    case entered
    /// It was inside, and is outside.
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
