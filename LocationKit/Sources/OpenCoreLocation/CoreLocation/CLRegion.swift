public import Foundation

/// An area with an identifier; ``CLCircularRegion`` is the only kind.
///
/// Two regions are equal if their identifiers are: a region that is monitored replaces the one with its identifier.
open class CLRegion: NSObject, NSCopying, NSSecureCoding {
    /// The identifier within the program.
    open var identifier: String { name }
    private let name: String
    /// Whether the delegate is called when the region is entered.
    open var notifyOnEntry = true
    /// Whether the delegate is called when the region is left.
    open var notifyOnExit = true

    init(identifier: String) {
        name = identifier
    }

    private struct Values: Codable {
        let identifier: String
        let notifyOnEntry, notifyOnExit: Bool
    }

    /// - Returns: `nil` if the archive holds no region of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(Values.self) else { return nil }
        name = values.identifier
        notifyOnEntry = values.notifyOnEntry
        notifyOnExit = values.notifyOnExit
    }

    /// Archives everything; the format differs from Apple's.
    open func encode(with coder: NSCoder) {
        coder.encode(
            values: Values(identifier: identifier, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit))
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let twin = CLRegion(identifier: identifier)
        twin.notifyOnEntry = notifyOnEntry
        twin.notifyOnExit = notifyOnExit
        return twin
    }

    /// True if the other is a region with the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == identifier
    }

    /// Consistent with ``isEqual(_:)``.
    open override var hash: Int { identifier.hashValue }

    /// For example `CLRegion (identifier:'home')`.
    open override var description: String { "CLRegion (identifier:'\(identifier)')" }
}

/// A circle on the Earth.
open class CLCircularRegion: CLRegion {
    private struct Circle: Codable {
        let latitude, longitude, radius: Double
    }

    private let circle: Circle

    /// A circle with its middle, its radius in metres, and its identifier. Only radii of 1 m to 10,000 km can be
    /// monitored.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        circle = Circle(latitude: center.latitude, longitude: center.longitude, radius: radius)
        super.init(identifier: identifier)
    }

    /// - Returns: `nil` if the archive holds no circle of this module.
    public required init?(coder: NSCoder) {
        guard let circle = coder.decodeValues(Circle.self, forKey: "circle") else { return nil }
        self.circle = circle
        super.init(coder: coder)
    }

    /// Archives everything; the format differs from Apple's.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(values: circle, forKey: "circle")
    }

    /// A copy.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let twin = CLCircularRegion(center: center, radius: radius, identifier: identifier)
        twin.notifyOnEntry = notifyOnEntry
        twin.notifyOnExit = notifyOnExit
        return twin
    }

    /// The middle.
    open var center: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: circle.latitude, longitude: circle.longitude)
    }
    /// Metres from the middle to the edge.
    open var radius: CLLocationDistance { circle.radius }

    /// True if the geodesic on the WGS 84 ellipsoid from the middle is no longer than the radius; false if either
    /// coordinate is invalid.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        center.distance(to: coordinate).map { $0 <= radius } ?? false
    }

    /// For example `CLCircularRegion (identifier:'home', center:<+52.52000000,+13.40500000>, radius:100.00m)`.
    open override var description: String {
        "CLCircularRegion (identifier:'\(identifier)', center:\(center.text), "
            + "radius:\(String(format: "%.2f", radius))m)"
    }
}

/// The position of the machine with respect to a region.
///
/// A fix counts as a circle whose radius is its accuracy, 100 m if that is unknown. The state is decided by two fixes
/// in a row, half a second apart, that lie entirely on one side of the border, or by one whose distance from the border
/// is at least three times its accuracy, and 60 m. To have left, positions must also be 20 m outside.
public enum CLRegionState: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Within it.
    case inside = 1
    /// Outside of it.
    case outside = 2
}
