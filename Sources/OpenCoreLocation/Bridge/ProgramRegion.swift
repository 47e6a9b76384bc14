import LocationModel

/// A circle that a program monitors, as the service keeps it under a name of its own.
///
/// The service knows nothing of what a program wants to hear of a region, so that goes into the identifier where it is not
/// the usual: `home [entry]`, `home [exit]`, `home [neither]`. One that ends so by itself gets `[both]`.
struct ProgramRegion: Sendable, Hashable {
    /// The program's name for it.
    let identifier: String
    let notifyOnEntry, notifyOnExit: Bool
    /// What the service monitors.
    let region: Region

    private static let marks = [" [both]", " [entry]", " [exit]", " [neither]"]

    /// - Returns: `nil` if it is no circle on the Earth, or has a radius or name that cannot be monitored.
    init?(_ region: CLRegion) {
        guard let circle = region as? CLCircularRegion else { return nil }
        let mark =
            switch (region.notifyOnEntry, region.notifyOnExit) {
            case (true, true): Self.marks.contains(where: region.identifier.hasSuffix) ? Self.marks[0] : ""
            case (true, false): Self.marks[1]
            case (false, true): Self.marks[2]
            case (false, false): Self.marks[3]
            }
        guard
            let shape = RegionShape(center: circle.center, radius: circle.radius),
            let monitored = try? Region(identifier: region.identifier + mark, shape: shape)
        else { return nil }
        self.init(region.identifier, region.notifyOnEntry, region.notifyOnExit, monitored)
    }

    /// What the service keeps.
    init(_ region: Region) {
        let name = region.identifier
        let mark = Self.marks.first(where: name.hasSuffix)
        self.init(
            String(name.dropLast(mark?.count ?? 0)), mark != Self.marks[2] && mark != Self.marks[3],
            mark != Self.marks[1] && mark != Self.marks[3], region)
    }

    private init(_ identifier: String, _ notifyOnEntry: Bool, _ notifyOnExit: Bool, _ region: Region) {
        self.identifier = identifier
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.region = region
    }

    /// As programs know it; a polygon, which another program may have kept, is none of them.
    var content: CLCircularRegion? {
        guard case .circle(let circle) = region.shape else { return nil }
        let content = CLCircularRegion(
            center: CLLocationCoordinate2D(circle.center), radius: circle.radius, identifier: identifier)
        content.notifyOnEntry = notifyOnEntry
        content.notifyOnExit = notifyOnExit
        return content
    }
}

extension RegionShape {
    /// A circle; one of less than a metre is taken for one of a metre.
    ///
    /// - Returns: `nil` if it is none on the Earth.
    init?(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
        guard radius > 0, let center = Coordinate(latitude: center.latitude, longitude: center.longitude),
            let circle = try? RegionCircle(center: center, radius: max(RegionCircle.radiusRange.lowerBound, radius))
        else { return nil }
        self = .circle(circle)
    }
}
