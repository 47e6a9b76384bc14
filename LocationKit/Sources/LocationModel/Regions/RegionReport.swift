/// Whether the machine is in a region.
///
/// A fix is treated as a circle around its position with the radius of its horizontal accuracy, or 100 m where that is
/// unknown. It indicates ``inside`` if the whole circle is inside, and ``outside`` if the whole circle is outside; for
/// an exit the position must also be 20 m outside. A fix whose circle crosses the border changes nothing, so a region
/// smaller than the accuracy is not decided.
///
/// The state changes when two fixes in a row, at least half a second apart, indicate another one; or by a single fix
/// whose position is at least three times its accuracy, and 60 m, from the border. The first state is reported without
/// an event, because the state before it is unknown; a named monitor remembers its earlier state.
public enum RegionState: String, OpenEnumeration {
    /// Not decided: no fix yet, or none accurate enough.
    case unknown
    /// Wholly within the border.
    case inside
    /// Wholly beyond it.
    case outside
}

/// An event at a region's border.
public enum RegionEvent: String, OpenEnumeration {
    /// The machine was outside and is inside.
    case entered
    /// The machine was inside and is outside.
    case exited
    /// The machine was inside without interruption for the region's dwell.
    case dwelled
    /// An event of a later version.
    case unknown
}

/// The state of a region, and the event that changed it.
public struct RegionReport: Sendable, Hashable {
    /// Which region.
    public var identifier: String
    /// Whether the machine is in it.
    public var state: RegionState
    /// What happened; `nil` where only the state is reported, as at the beginning.
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
