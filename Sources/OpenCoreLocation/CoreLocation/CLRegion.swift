public import Foundation

/// An area with a name; ``CLCircularRegion`` is the one kind there is.
///
/// Two regions are equal if their identifiers are, as one that is monitored takes the place of another so named.
open class CLRegion: NSObject, NSCopying, NSSecureCoding {
    /// The name within the program.
    open var identifier: String { name }
    private let name: String
    /// Whether entering the region is to be told.
    open var notifyOnEntry = true
    /// Whether leaving the region is to be told.
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

    /// Archives everything; Apple's archives are of another form.
    open func encode(with coder: NSCoder) {
        coder.encode(
            values: Values(identifier: identifier, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit))
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Another region that says the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let twin = CLRegion(identifier: identifier)
        twin.notifyOnEntry = notifyOnEntry
        twin.notifyOnExit = notifyOnExit
        return twin
    }

    /// True if the other is a region of the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == identifier
    }

    /// Follows ``isEqual(_:)``.
    open override var hash: Int { identifier.hashValue }

    /// Such as `CLRegion (identifier:'home')`.
    open override var description: String { "CLRegion (identifier:'\(identifier)')" }
}

/// A circle on the Earth.
open class CLCircularRegion: CLRegion {
    private struct Circle: Codable {
        let latitude, longitude, radius: Double
    }

    private let circle: Circle

    /// A circle by its middle, its radius in metres, and its name within the program. Only radii of 1 m to 10,000 km
    /// can be monitored.
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

    /// Archives everything; Apple's archives are of another form.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(values: circle, forKey: "circle")
    }

    /// Another circle that says the same.
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

    /// True if the way over the WGS 84 ellipsoid from the middle is no longer than the radius; false if either
    /// coordinate is invalid.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        center.distance(to: coordinate).map { $0 <= radius } ?? false
    }

    /// Such as `CLCircularRegion (identifier:'home', center:<+52.52000000,+13.40500000>, radius:100.00m)`.
    open override var description: String {
        "CLCircularRegion (identifier:'\(identifier)', center:\(center.text), "
            + "radius:\(String(format: "%.2f", radius))m)"
    }
}

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
