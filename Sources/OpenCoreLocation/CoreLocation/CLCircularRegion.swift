public import Foundation

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
