package import LocationModel

/// A watch, by the place it has in the hub; places are used again after a watch ended.
package struct WatchID: Sendable, Hashable {
    package let slot: Int
    package init(slot: Int) { self.slot = slot }
}

/// What a watch asks for.
package struct WatchRequest: Sendable, Hashable {
    package var filter = LocationFilter()
    /// The watch ends with this many locations.
    package var maximumUpdates: Int?
    package var location = true
    package var heading = false
    package var satellites = false
    /// Sees what others caused, and causes nothing.
    package var passive = false
    /// Sees every receiver's fixes, not the followed one's only.
    package var everySource = false

    package init() {}

    /// True if the watch needs receivers to run.
    var makesDemand: Bool { !passive && (location || heading || satellites) }
}
