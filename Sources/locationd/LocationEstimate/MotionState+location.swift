import Glibc
@_spi(Programs) import LocationModel

/// What is known of the movement, as a location.
extension MotionState {
    /// The part of the error of a standing receiver that its positions show within a minute.
    private static let standingShare = 0.25

    /// At the time of the last fix.
    var estimate: Location? {
        location(fix, .filtered, filter, course.map { ($0.direction, $0.deviation) }, height)
    }

    /// Some seconds after it, without another.
    func predicted(after T: Double, at now: BootInstant, _ agility: Agility) -> Location? {
        var later = filter
        later.predict(T, q: agility.horizontal)
        (later.p, later.v) = manoeuvre.continued(from: filter.p, filter.v, for: T)
        var fix = fix
        fix.monotonicTime = now
        // A source may state the last second that RFC 3339 can write.
        fix.timestamp = fix.timestamp?.advanced(bySeconds: T)
        if fix.timestamp?.hasFourDigitYear == false { fix.timestamp = nil }
        // Nothing is measured of the sky of this moment.
        fix.augmentation = .deadReckoning
        (fix.satellitesUsed, fix.hdop, fix.vdop, fix.pdop) = (nil, nil, nil, nil)
        (fix.antenna, fix.jamming) = (nil, nil)
        let speed = later.v.length
        let course =
            speed > 0 ? (later.v / speed, later.courseDeviation) : self.course.map { ($0.direction, $0.deviation) }
        return location(fix, .predicted, later, course, height?.predicted(after: T, agility))
    }

    private func location(
        _ fix: Location, _ basis: LocationBasis, _ filter: PlaneFilter,
        _ course: (direction: Vector2, deviation: Double)?, _ height: HeightEstimate?
    ) -> Location? {
        guard let coordinate = plane.coordinate(of: filter.p) else { return nil }
        var location = fix
        (location.coordinate, location.basis, location.accuracyBasis) = (coordinate, basis, nil)
        let turn = plane.turn(to: LocalPlane.Axes(at: coordinate))
        if fix.horizontalAccuracy != nil || fix.errorEllipse != nil {
            // What the filter cannot reduce of the stated error is still there; at a standstill that is at least most
            // of it.
            let left = max(share.remainder, standstill.isStanding ? 1 - Self.standingShare : 0)
            let circle = ErrorCircle((filter.Pₚₚ + R * left).turned(by: turn))
            (location.horizontalAccuracy, location.errorEllipse) = (circle.radius, circle.ellipse)
        }
        (location.speed, location.speedAccuracy) = (filter.v.length, filter.speedDeviation)
        let direction = course.map { turn * $0.direction }
        location.course = direction.map { Self.degrees(atan2($0.x, $0.y)) }
        location.courseAccuracy = course.map { $0.deviation * 180 / .pi }
        height?.describe(in: &location)
        return location
    }

    private static func degrees(_ radians: Double) -> Double {
        let degrees = radians * 180 / .pi
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned >= 360 ? 0 : turned
    }
}
