/// Where the machine is with respect to a region.
public enum CLRegionState: Int, Sendable {
    /// Nobody knows.
    case unknown = 0
    /// Within it.
    case inside = 1
    /// Outside of it.
    case outside = 2
}
