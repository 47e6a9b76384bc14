import LocationModel

/// What a position report amounts to.
enum FixVerdict: Equatable {
    case fix(Location)
    /// The receiver says it has no fix.
    case noFix
    /// A mode without a position: neither a fix nor the loss of one.
    case withoutPosition
    /// Numbers that cannot be.
    case rejected
}

extension PositionReport {
    /// Judges the report: mode below 2 is no fix; a position outside the globe is rejected; any other field that
    /// cannot be is left out, and `spoilt` is raised.
    func verdict(source: String, at now: BootInstant, spoilt: inout Int) -> FixVerdict {
        spoilt += infinite
        guard (0...3).contains(mode) else { return .rejected }
        guard mode >= 2 else { return .noFix }
        guard let latitude, let longitude else { return infinite > 0 ? .rejected : .withoutPosition }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return .rejected }

        func within(_ range: ClosedRange<Double>, _ value: Double?) -> Double? {
            guard let value else { return nil }
            if range.contains(value) { return value }
            spoilt += 1
            return nil
        }
        let notNegative = 0...1e9
        let height = -1e8...1e8
        var location = Location(
            coordinate: coordinate, mode: mode == 3 ? .threeDimensional : .twoDimensional, monotonicTime: now,
            source: SourceInformation(name: source, device: device, isSimulated: status == 8))
        location.horizontalAccuracy = within(notNegative, horizontalAccuracy)
        location.altitude = within(height, altitude)
        location.ellipsoidalAltitude = within(height, ellipsoidalAltitude)
        location.verticalAccuracy = within(notNegative, verticalAccuracy)
        location.speed = within(notNegative, speed)
        location.speedAccuracy = within(notNegative, speedAccuracy)
        location.course = within(0...360, course).map { $0 == 360 ? 0 : $0 }
        location.courseAccuracy = within(notNegative, courseAccuracy)
        location.climb = within(height, climb)
        location.climbAccuracy = within(notNegative, climbAccuracy)
        location.magneticVariation = within(-180...180, magneticVariation)
        location.augmentation = Augmentation(gpsdStatus: status)
        location.timestamp = time
        return .fix(location)
    }
}

extension Augmentation {
    /// gpsd's fix status by number (its names changed between versions): 0 and 1 are plain fixes.
    init?(gpsdStatus: Int) {
        switch gpsdStatus {
        case 2: self = .dgps
        case 3: self = .rtkFixed
        case 4: self = .rtkFloat
        case 5: self = .deadReckoning
        case 6: self = .gnssDeadReckoning
        case 7: self = .timeOnly
        case 8: self = .simulated
        case 9: self = .precise
        default: return nil
        }
    }
}
