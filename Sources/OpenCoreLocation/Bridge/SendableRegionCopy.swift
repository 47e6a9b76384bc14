import Foundation

/// A region on its way to the manager's thread.
///
/// Unchecked: `CLRegion` is not `Sendable`, but this is a copy that nobody else knows before it is handed over, once.
struct SendableRegionCopy: @unchecked Sendable {
    let content: CLRegion

    /// - Returns: `nil` if the region's own class makes copies that are no regions.
    init?(_ region: CLRegion) {
        guard let copy = region.copy() as? CLRegion else { return nil }
        content = copy
    }
}
