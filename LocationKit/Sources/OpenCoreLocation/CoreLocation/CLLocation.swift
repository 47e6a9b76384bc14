public import Foundation

/// A position of the machine, with its accuracy and time.
///
/// As in CoreLocation, a negative number means "not known", and two locations are equal only if they are the same
/// object.
// Unchecked: the class is open, and stores one constant of a Sendable type.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let values: CLLocationValues

    /// Latitude and longitude 0 now, of horizontal accuracy 0; nothing else is known.
    public override init() {
        values = CLLocationValues(CLLocationCoordinate2D())
    }

    /// A place now, of horizontal accuracy 0; nothing else is known.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        values = CLLocationValues(CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
    }

    /// A place and an altitude; course and speed are not known.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        values = CLLocationValues(
            coordinate, altitude, horizontal: horizontalAccuracy, vertical: verticalAccuracy, timestamp: timestamp)
    }

    /// A place, an altitude, a course and a speed; the accuracy of the last two is not known.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        var values = CLLocationValues(
            coordinate, altitude, horizontal: horizontalAccuracy, vertical: verticalAccuracy, timestamp: timestamp)
        values.course = course
        values.speed = speed
        self.values = values
    }

    /// A place, an altitude, a course and a speed, and the accuracy of each.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        var values = CLLocationValues(
            coordinate, altitude, horizontal: horizontalAccuracy, vertical: verticalAccuracy, timestamp: timestamp)
        (values.course, values.courseAccuracy) = (course, courseAccuracy)
        (values.speed, values.speedAccuracy) = (speed, speedAccuracy)
        self.values = values
    }

    /// A place, an altitude, a course and a speed, the accuracy of each, and their source.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date, sourceInfo: CLLocationSourceInformation
    ) {
        var values = CLLocationValues(
            coordinate, altitude, horizontal: horizontalAccuracy, vertical: verticalAccuracy, timestamp: timestamp)
        (values.course, values.courseAccuracy) = (course, courseAccuracy)
        (values.speed, values.speedAccuracy) = (speed, speedAccuracy)
        values.source = sourceInfo.values
        self.values = values
    }

    init(_ values: CLLocationValues) {
        self.values = values
    }

    /// - Returns: `nil` if the archive holds no location of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(CLLocationValues.self) else { return nil }
        self.values = values
    }

    /// Archives everything; the format differs from Apple's.
    open func encode(with coder: NSCoder) {
        coder.encode(values: values)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Latitude and longitude on WGS 84.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }
    /// Metres above mean sea level; valid if ``verticalAccuracy`` is positive.
    open var altitude: CLLocationDistance { values.altitude }
    /// Metres above the WGS 84 ellipsoid; 0 in a location that a program has made itself, as in CoreLocation.
    ///
    /// If the receiver reports only the height above sea level, this is that height, wrong by the geoid height: at most
    /// some 110 m. If it reports only this height, ``verticalAccuracy`` is negative, because ``altitude`` is invalid
    /// then.
    open var ellipsoidalAltitude: CLLocationDistance { values.ellipsoidalAltitude }
    /// Radius of the circle that contains the position, metres; negative if ``coordinate`` is invalid, which never
    /// holds for a location of the service. If the receiver reports none it is estimated: the horizontal dilution of
    /// precision times 19 m (4.75 m with differential corrections), else 100 m.
    open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }
    /// Metres by which ``altitude`` may be wrong; negative if that is invalid. If the receiver reports an altitude
    /// without an accuracy, it is estimated: the vertical dilution of precision times 23 m (5.75 m), else 150 m.
    open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }
    /// Direction of travel, degrees clockwise from true north; negative if not known.
    open var course: CLLocationDirection { values.course }
    /// Degrees by which ``course`` may be wrong; negative if not known.
    open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }
    /// Metres per second over ground; negative if not known.
    open var speed: CLLocationSpeed { values.speed }
    /// Metres per second by which ``speed`` may be wrong; negative if not known.
    open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }
    /// The receiver's time of the fix; the time of arrival if the receiver has none, or is more than a day off.
    open var timestamp: Date { values.timestamp }
    /// Always `nil`: no receiver reports the floor of a building.
    open var floor: CLFloor? { nil }
    /// The source of the location; `nil` if a program has made the location without one.
    open var sourceInformation: CLLocationSourceInformation? { values.source.map(CLLocationSourceInformation.init) }

    /// The length of the geodesic on the WGS 84 ellipsoid, metres; -1 if either coordinate is invalid. Longitudes
    /// beyond ±180° wrap around.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        coordinate.distance(to: location.coordinate) ?? -1
    }

    /// For example `<+52.52000000,+13.40500000> +/- 5.00m (speed 1.20 mps / course 90.00) @ …`.
    open override var description: String {
        let time = DateFormatter.localizedString(from: timestamp, dateStyle: .short, timeStyle: .full)
        let motion = String(format: "(speed %.2f mps / course %.2f)", speed, course)
        return "\(coordinate.text) +/- \(String(format: "%.2f", horizontalAccuracy))m \(motion) @ \(time)"
    }
}

/// The values of a ``CLLocation``.
struct CLLocationValues: Sendable, Codable {
    /// The values of a ``CLLocationSourceInformation``.
    struct Source: Sendable, Codable {
        var isSimulatedBySoftware: Bool
        var isProducedByAccessory: Bool
    }

    var latitude, longitude: Double
    var altitude = 0.0
    var ellipsoidalAltitude = 0.0
    var horizontalAccuracy = 0.0
    var verticalAccuracy = -1.0
    var course = -1.0
    var courseAccuracy = -1.0
    var speed = -1.0
    var speedAccuracy = -1.0
    var timestamp = Date()
    var source: Source?

    init(_ coordinate: CLLocationCoordinate2D) {
        latitude = coordinate.latitude
        longitude = coordinate.longitude
    }

    init(
        _ coordinate: CLLocationCoordinate2D, _ altitude: Double, horizontal: Double, vertical: Double, timestamp: Date
    ) {
        self.init(coordinate)
        self.altitude = altitude
        horizontalAccuracy = horizontal
        verticalAccuracy = vertical
        self.timestamp = timestamp
    }
}

/// The source of a location.
// Unchecked: the class is open, and stores one constant of a Sendable type.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: CLLocationValues.Source

    /// A source that is neither a software simulation nor an accessory.
    public override init() {
        values = CLLocationValues.Source(isSimulatedBySoftware: false, isProducedByAccessory: false)
    }

    /// A source by what it is.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        values = CLLocationValues.Source(isSimulatedBySoftware: isSoftware, isProducedByAccessory: isAccessory)
    }

    init(_ values: CLLocationValues.Source) {
        self.values = values
    }

    /// - Returns: `nil` if the archive holds none of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(CLLocationValues.Source.self) else { return nil }
        self.values = values
    }

    /// Archives both.
    open func encode(with coder: NSCoder) {
        coder.encode(values: values)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True if software simulated the location or replayed it from a recording.
    open var isSimulatedBySoftware: Bool { values.isSimulatedBySoftware }

    /// False for every location of the service, which cannot tell built-in receivers from others.
    open var isProducedByAccessory: Bool { values.isProducedByAccessory }
}

/// The floor of a building. No location of the service has one; the class exists for source that uses it.
// Unchecked: the class is open, and stores one constant number.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// 0 is the ground floor.
    private let number: Int

    /// The ground floor.
    public override init() {
        number = 0
    }

    /// - Returns: `nil` if the archive holds none of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues([Int].self), let number = values.first else { return nil }
        self.number = number
    }

    /// Archives the floor.
    open func encode(with coder: NSCoder) {
        coder.encode(values: [number])
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Floors above the ground floor, negative below.
    open var level: Int { number }
}
