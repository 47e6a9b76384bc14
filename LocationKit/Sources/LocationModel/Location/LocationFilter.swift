/// Which fixes a subscriber wants to receive: a pure value that is evaluated for each fix.
public struct LocationFilter: Sendable, Hashable {
    /// Metres the position must have moved since the last admitted fix.
    public var distance: Double?
    /// Seconds that must have passed since the last admitted fix.
    public var interval: Double?
    /// Largest horizontal accuracy in metres; a fix of unknown accuracy is held back too.
    public var requiredAccuracy: Double?

    /// A filter that admits everything where nothing is given.
    public init(distance: Double? = nil, interval: Double? = nil, requiredAccuracy: Double? = nil) {
        self.distance = distance
        self.interval = interval
        self.requiredAccuracy = requiredAccuracy
    }

    /// The part of the last admitted fix that the filter needs.
    public struct Anchor: Sendable, Hashable {
        let coordinate: Coordinate
        let point: SurfacePoint
        let timestamp: UTCTime?
        let monotonicTime: BootInstant

        /// Remembers a fix.
        public init(_ location: Location) {
            coordinate = location.coordinate
            point = SurfacePoint(location.coordinate.geodetic)
            timestamp = location.timestamp
            monotonicTime = location.monotonicTime
        }
    }

    /// True if the filter needs to know the last admitted fix.
    public var needsAnchor: Bool { distance != nil || interval != nil }

    /// True if the fix is good enough, whatever came before.
    public func acceptsAccuracy(of location: Location) -> Bool {
        guard let requiredAccuracy else { return true }
        return location.horizontalAccuracy.map { $0 <= requiredAccuracy } ?? false
    }

    /// True if a subscriber that last received `anchor` wants this fix.
    public func admits(_ location: Location, since anchor: Anchor?) -> Bool {
        var point: SurfacePoint?
        return admits(location, at: &point, since: anchor)
    }

    /// The same for many subscribers.
    /// - Parameter point: of the location, computed by the first filter that needs it.
    @_spi(Programs) public func admits(_ location: Location, at point: inout SurfacePoint?, since anchor: Anchor?)
        -> Bool
    {
        guard acceptsAccuracy(of: location) else { return false }
        guard let anchor else { return true }
        if let interval, elapsed(from: anchor, to: location) + Self.timeResolution < interval { return false }
        guard let distance else { return true }
        let here = point ?? SurfacePoint(location.coordinate.geodetic)
        point = here
        if isNearer(than: distance, location, at: here, to: anchor) { return false }
        return true
    }

    /// True if the shortest way between them is shorter than `distance`. Its bounds decide nearly always, and cost a
    /// twentieth of the way itself.
    private func isNearer(
        than distance: Double, _ location: Location, at point: SurfacePoint, to anchor: Anchor
    ) -> Bool {
        let bounds = anchor.point.way(to: point)
        if bounds.most < distance { return true }
        if bounds.least >= distance { return false }
        return anchor.coordinate.distance(to: location.coordinate) < distance
    }

    /// Receivers report time in steps of a millisecond. Half a step, in seconds, prevents a filter of exactly one epoch
    /// from rejecting a fix that rounding made a little too early.
    private static let timeResolution = 0.0005

    /// Seconds between two fixes: by the receiver's clock if it agrees with ours to half a second, so that a 1 Hz
    /// receiver passes a filter of one second despite jitter in transmission; otherwise by ours.
    private func elapsed(from anchor: Anchor, to location: Location) -> Double {
        let ours = location.monotonicTime.seconds(since: anchor.monotonicTime)
        guard let start = anchor.timestamp, let end = location.timestamp else { return ours }
        let theirs = end.seconds(since: start)
        return abs(theirs - ours) <= 0.5 ? max(ours, theirs) : ours
    }
}
