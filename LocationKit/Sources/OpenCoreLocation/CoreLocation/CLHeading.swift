public import Foundation
@_spi(Programs) public import LocationModel

/// The direction in which the device points.
// Unchecked: the class is open, and stores one constant of a Sendable type.
open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private struct Values: Sendable, Codable {
        var magnetic = -1.0
        var geographic = -1.0
        var accuracy = -1.0
        var timestamp = Date()
    }

    private let values: Values

    /// A heading without values, for subclasses.
    public override init() {
        values = Values()
    }

    /// The CoreLocation heading for a heading of the service.
    ///
    /// - Parameters:
    ///   - variation: magnetic north's direction, degrees east of true north, from the last location.
    ///   - now: the wall clock's time.
    @_spi(Programs) public init(_ heading: Heading, variation: Double? = nil, now: Date = Date()) {
        var values = Values()
        if heading.magneticHeading != nil || heading.trueHeading != nil {
            values.magnetic =
                heading.magneticHeading ?? heading.trueHeading.map { Self.turned($0, by: -(variation ?? 0)) } ?? -1
            if let reported = heading.trueHeading {
                values.geographic = reported
            } else if let reported = heading.magneticHeading, let variation {
                values.geographic = Self.turned(reported, by: variation)
            }
            values.accuracy = heading.accuracy ?? 180
        }
        values.timestamp = Date(heading.timestamp, arrival: now)
        self.values = values
    }

    /// - Returns: `nil` if the archive holds no heading of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(Values.self) else { return nil }
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

    /// Degrees clockwise from magnetic north; negative only if no heading is known at all.
    ///
    /// If the compass reports only the true heading, this is computed with the magnetic variation of the last location;
    /// if that is unknown too, it is the true heading.
    open var magneticHeading: CLLocationDirection { values.magnetic }
    /// Degrees clockwise from true north; negative if not known.
    open var trueHeading: CLLocationDirection { values.geographic }
    /// Degrees by which ``magneticHeading`` may be wrong; negative if no heading is known; 180 if the compass does not
    /// report its accuracy.
    open var headingAccuracy: CLLocationDirection { values.accuracy }
    /// Always 0: the service does not report the magnetic field.
    open var x: CLHeadingComponentValue { 0 }
    /// Always 0: the service does not report the magnetic field.
    open var y: CLHeadingComponentValue { 0 }
    /// Always 0: the service does not report the magnetic field.
    open var z: CLHeadingComponentValue { 0 }
    /// The sensor's time; the time of arrival if the sensor has none, or is more than a day off.
    open var timestamp: Date { values.timestamp }

    /// For example `magneticHeading 90.00 trueHeading 94.00 accuracy 5.00 x +0.000 y +0.000 z +0.000 @ …`.
    open override var description: String {
        String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f x %+.3f y %+.3f z %+.3f @ ",
            magneticHeading, trueHeading, headingAccuracy, x, y, z) + timestamp.description
    }

    /// A direction turned clockwise, 0..<360.
    private static func turned(_ direction: Double, by degrees: Double) -> Double {
        let rest = (direction + degrees).truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        // A tiny negative remainder is rounded to 360.
        return positive == 360 ? 0 : positive
    }
}
