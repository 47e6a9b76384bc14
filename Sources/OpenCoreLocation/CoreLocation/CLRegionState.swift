/// Where the machine is with respect to a region.
///
/// A fix is a circle as wide as its accuracy, 100 m where that is unknown. Two in a row, half a second apart, that lie
/// wholly on one side of the border decide the state, or one whose position is three times its accuracy, and 60 m, from
/// it; to have left, positions must be 20 m outside besides.
public enum CLRegionState: Int, Sendable {
    /// Nobody knows.
    case unknown = 0
    /// Within it.
    case inside = 1
    /// Outside of it.
    case outside = 2
}
