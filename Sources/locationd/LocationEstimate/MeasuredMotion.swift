import Glibc
@_spi(Programs) import LocationModel

/// What a fix says of position and velocity, with covariances on the axes of its point.
struct MeasuredMotion {
    let axes: LocalPlane.Axes
    /// Of the position's error.
    let R: Matrix2
    /// Metres per second to the east and the north, and the covariance; `nil` if the receiver does not say where it
    /// moves to.
    let velocity: (v: Vector2, R: Matrix2)?

    /// The deviation of a position whose accuracy is unknown, and the least of any, metres.
    private static let (unknown, least) = (25.0, 0.005)
    /// The greatest that any deviation counts as, metres or metres per second: more would not stay finite.
    static let greatest = 1e8
    /// The deviation of a speed whose accuracy is unknown, and the least of any, metres per second. Receivers state a
    /// few centimetres per second; what they are off along a drive is 0.08 to 0.14 m/s (`make estimate` prints it).
    static let (unknownSpeed, leastSpeed) = (0.5, 0.1)
    /// Below this speed the direction of a receiver that states none does not matter, metres per second.
    private static let slow = 0.5

    init(_ fix: Location) {
        axes = LocalPlane.Axes(at: fix.coordinate)
        R = Self.covariance(of: fix)
        velocity = Self.velocity(of: fix)
    }

    /// What a stated error of one dimension is, in standard deviations: one of 68 % if the receiver states it, and one
    /// of 95 % where it is multiplied from the dilution of precision (gpsd_json(5), `eph` and `epv`).
    static func scale(of fix: Location) -> Double { fix.accuracyBasis == .fromDOP ? 1.96 : 1 }

    private static func bounded(_ deviation: Double) -> Double { min(greatest, max(least, deviation)) }

    private static func covariance(of fix: Location) -> Matrix2 {
        // Beside a circle that the receiver states, an ellipse of gpsd's own is computed from the satellites' places
        // alone.
        if let ellipse = fix.errorEllipse, ellipse.isStandardDeviation || fix.accuracyBasis != .stated {
            let scale = ellipse.isStandardDeviation ? 1 : 1 / scale(of: fix)
            let direction = ellipse.orientation * .pi / 180
            return Matrix2(
                along: bounded(ellipse.semiMajorAxis * scale), across: bounded(ellipse.semiMinorAxis * scale),
                of: Vector2(sin(direction), cos(direction)))
        }
        guard let accuracy = fix.horizontalAccuracy else { return Matrix2(diagonal: unknown * unknown) }
        let deviation = ErrorCircle.deviation(
            ofRadius: accuracy, holding: fix.accuracyBasis == .fromDOP ? 0.95 : 0.68)
        return Matrix2(diagonal: bounded(deviation) * bounded(deviation))
    }

    private static func velocity(of fix: Location) -> (v: Vector2, R: Matrix2)? {
        guard let speed = fix.speed, speed < greatest else { return nil }
        let along = min(greatest, max(leastSpeed, fix.speedAccuracy ?? unknownSpeed))
        guard let course = fix.course else {
            guard speed < slow else { return nil }
            let deviation = max(along, speed)
            return (.zero, Matrix2(diagonal: deviation * deviation))
        }
        let direction = Vector2(sin(course * .pi / 180), cos(course * .pi / 180))
        // The error across is that of the course, or that of the speed: a receiver measures the velocity, not its
        // direction.
        let across = fix.courseAccuracy.map { max(leastSpeed, speed * sin(min($0, 90) * .pi / 180)) } ?? along
        return (direction * speed, Matrix2(along: along, across: across, of: direction))
    }
}
