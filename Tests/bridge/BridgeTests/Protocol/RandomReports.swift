@_spi(Programs) import LocationModel
import ProgramTestSupport

@testable import GPSDProtocol

extension Location {
    /// A location of which each field that a TPV carries is there or not.
    static func random(_ generator: inout SeededGenerator) throws -> Location {
        func maybe(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &generator) ? Double.random(in: range, using: &generator) : nil
        }
        guard
            let coordinate = Coordinate(
                latitude: .random(in: -90...90, using: &generator),
                longitude: .random(in: -180...180, using: &generator))
        else { throw Failure("no coordinate") }
        var location = Location(
            coordinate: coordinate, mode: Bool.random(using: &generator) ? .twoDimensional : .threeDimensional,
            monotonicTime: BootInstant(seconds: 7), source: SourceInformation(name: "gpsd", device: Sample.path))
        location.timestamp =
            Bool.random(using: &generator)
            ? UTCTime(
                seconds: .random(in: 1...4_102_444_800, using: &generator),
                nanoseconds: .random(in: 0...999, using: &generator) * 1_000_000) : nil
        location.horizontalAccuracy = maybe(0...5000)
        location.verticalAccuracy = maybe(0...5000)
        location.altitude = maybe(-500...40_000_000)
        location.ellipsoidalAltitude = maybe(-500...9000)
        location.geoidSeparation = maybe(-110...90)
        location.speed = maybe(0...8000)
        location.speedAccuracy = maybe(0...100)
        location.course = maybe(0...359.9)
        location.courseAccuracy = maybe(0...180)
        location.climb = maybe(-300...300)
        location.climbAccuracy = maybe(0...100)
        location.magneticVariation = maybe(-180...180)
        if let longitude = maybe(1...10), let latitude = maybe(11...20) {
            location.errorEllipse =
                Bool.random(using: &generator)
                ? ErrorEllipse(longitudeError: longitude, latitudeError: latitude)
                : ErrorEllipse(longitudeError: latitude, latitudeError: longitude)
        }
        location.augmentation =
            [nil, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .gnssDeadReckoning, .timeOnly, .precise]
            .randomElement(using: &generator) ?? nil
        return location
    }

    /// Whether it is the other one, rounded to the decimals of a TPV.
    func isClose(to other: Location) -> Bool {
        var twin = self
        guard BridgeTests.isClose(coordinate.latitude, other.coordinate.latitude, 9),
            BridgeTests.isClose(coordinate.longitude, other.coordinate.longitude, 9)
        else { return false }
        let fields: [(WritableKeyPath<Location, Double?>, Int)] = [
            (\.horizontalAccuracy, 3), (\.verticalAccuracy, 3), (\.altitude, 4), (\.ellipsoidalAltitude, 4),
            (\.geoidSeparation, 3), (\.speed, 3), (\.speedAccuracy, 2), (\.course, 4), (\.courseAccuracy, 4),
            (\.climb, 3), (\.climbAccuracy, 2), (\.magneticVariation, 1),
        ]
        for (field, places) in fields {
            guard BridgeTests.isClose(self[keyPath: field], other[keyPath: field], places) else { return false }
            twin[keyPath: field] = other[keyPath: field]
        }
        guard BridgeTests.isClose(errorEllipse?.semiMajorAxis, other.errorEllipse?.semiMajorAxis, 3),
            BridgeTests.isClose(errorEllipse?.semiMinorAxis, other.errorEllipse?.semiMinorAxis, 3),
            errorEllipse?.orientation == other.errorEllipse?.orientation
        else { return false }
        twin.errorEllipse = other.errorEllipse
        // Everything else is equal, but the coordinate, which cannot be assigned in part.
        twin.coordinate = other.coordinate
        return twin == other
    }
}

extension SkyView {
    /// A view of so many satellites of all systems, with numbers that are the systems' own.
    static func random(_ count: Int, _ generator: inout SeededGenerator) -> SkyView {
        let systems: [(String, ClosedRange<Int>)] = [
            ("GPS", 1...32), ("SBAS", 120...158), ("Galileo", 1...36), ("BeiDou", 1...63), ("IMES", 1...10),
            ("QZSS", 1...10), ("GLONASS", 1...32), ("NavIC", 1...18), ("unknown", 250...290),
        ]
        let satellites = (0..<count).map { _ in
            let (system, numbers) = systems.randomElement(using: &generator) ?? ("GPS", 1...32)
            var satellite = Satellite(
                gnss: system, id: .random(in: numbers, using: &generator), used: .random(using: &generator))
            if Bool.random(using: &generator) { satellite.azimuth = .random(in: 0...359.9, using: &generator) }
            if Bool.random(using: &generator) { satellite.elevation = .random(in: -90...90, using: &generator) }
            if Bool.random(using: &generator) { satellite.signal = .random(in: 0...99, using: &generator) }
            return satellite
        }
        var sky = SkyView(satellites, device: Sample.path)
        if Bool.random(using: &generator) { sky.hdop = .random(in: 0...99.99, using: &generator) }
        if Bool.random(using: &generator) { sky.vdop = .random(in: 0...99.99, using: &generator) }
        if Bool.random(using: &generator) { sky.pdop = .random(in: 0...99.99, using: &generator) }
        if Bool.random(using: &generator) { sky.time = Sample.now }
        return sky
    }
}

/// Whether both are absent, or equal when one is rounded to this many decimals.
func isClose(_ read: Double?, _ written: Double?, _ places: Int) -> Bool {
    guard let read, let written else { return read == nil && written == nil }
    let half = (0..<places).reduce(0.5) { half, _ in half / 10 }
    return abs(read - written) <= half * 1.0001 + abs(written) * 1e-15
}
