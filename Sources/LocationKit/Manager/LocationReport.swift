public import LocationModel

/// A location, or why there is none.
public enum LocationReport: Sendable, Hashable {
    /// A new location.
    case location(Location)
    /// None for now, and why; told once until that changes.
    case noLocation(LocationError)
}
