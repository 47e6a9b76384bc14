package import LocationInterface

/// What a watch is to deliver. Nothing given means every location of the followed receiver.
public struct WatchOptions: Sendable, Hashable {
    /// Metres the position must have moved since the last location.
    public var distanceFilter: Double?
    /// Locations of a horizontal accuracy worse than so many metres, or of unknown accuracy, are held back.
    public var requiredAccuracy: Double?
    /// Seconds between two locations, at least.
    public var minimumInterval: Double?
    /// The watch ends with so many locations.
    public var maximumUpdates: Int?
    /// Whether locations are wanted.
    public var location = true
    /// Whether compass headings are wanted.
    public var heading = false
    /// Whether views of the sky are wanted.
    public var satellites = false
    /// Sees what others cause, and starts no receiver.
    public var passive = false
    /// Sees the fixes of every receiver, not of the followed one alone.
    public var everySource = false
    /// What the locations are for, at most 256 bytes; shown to the administrator.
    public var purpose: String?

    /// Everything the followed receiver knows about the position.
    public init() {}

    package var parameters: WatchParameters {
        var parameters = WatchParameters()
        parameters.distanceFilter = distanceFilter
        parameters.requiredAccuracy = requiredAccuracy
        parameters.minimumInterval = minimumInterval
        parameters.maximumUpdates = maximumUpdates
        parameters.location = location ? nil : false
        parameters.heading = heading ? true : nil
        parameters.satellites = satellites ? true : nil
        parameters.passive = passive ? true : nil
        parameters.everySource = everySource ? true : nil
        parameters.purpose = purpose
        return parameters
    }
}
