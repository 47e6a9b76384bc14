import Glibc
package import LocationModel

/// What a receiver and a compass in the vehicle would tell.
extension SimulatedDrive {
    /// Metres from the ellipsoid up to mean sea level.
    package static let geoidSeparation = 47.0
    /// Degrees east of true north.
    package static let magneticVariation = 3.5

    /// The satellites in view so many seconds after the start.
    package func satellites(at seconds: Double) -> [Satellite] {
        sky.satellites(over: frame, at: seconds.isFinite ? seconds : 0)
    }

    /// The fix so many seconds after the start, without a timestamp.
    package func location(at seconds: Double, monotonicTime: BootInstant, source: SourceInformation) -> Location {
        let moment = moment(at: seconds)
        let satellites = satellites(at: seconds)
        let dilution = DilutionOfPrecision(of: satellites)
        // The error of one range, metres; houses and trees make it come and go.
        let wander = precision.value(at: seconds.isFinite ? seconds : 0)
        let rangeError = 3 + 1.5 * wander
        let speedAccuracy = 0.25 + 0.15 * wander

        var location = Location(
            coordinate: moment.coordinate, mode: .threeDimensional, monotonicTime: monotonicTime, source: source)
        location.horizontalAccuracy = dilution.map { $0.horizontal * rangeError }
        location.altitude = moment.altitude
        location.ellipsoidalAltitude = moment.altitude + Self.geoidSeparation
        location.verticalAccuracy = dilution.map { $0.vertical * rangeError }
        location.speed = moment.speed
        location.speedAccuracy = speedAccuracy
        location.course = moment.course
        location.courseAccuracy = moment.course.map { _ in
            min(180, atan2(speedAccuracy, moment.speed) * 180 / .pi)
        }
        location.climb = moment.climb
        location.climbAccuracy = 2 * speedAccuracy
        location.magneticVariation = Self.magneticVariation
        location.satellitesUsed = satellites.count(where: \.used)
        location.hdop = dilution?.horizontal
        location.vdop = dilution?.vertical
        location.pdop = dilution?.position
        return location.roundedAsReceiversDo
    }

    /// The compass so many seconds after the start; it works while the vehicle stands, too.
    package func heading(at seconds: Double) -> Heading {
        let moment = moment(at: seconds)
        var heading = Heading()
        heading.trueHeading = moment.direction.rounded(toPlaces: 3, below: 360)
        heading.magneticHeading = fmod(moment.direction - Self.magneticVariation + 360, 360).rounded(
            toPlaces: 3, below: 360)
        heading.accuracy = 2
        heading.pitch = (atan(moment.slope) * 180 / .pi).rounded(toPlaces: 1)
        heading.roll = 0
        return heading
    }
}

extension Location {
    /// A receiver tells nanodegrees at best, and a thousandth of everything else.
    fileprivate var roundedAsReceiversDo: Location {
        var location = self
        location.coordinate =
            Coordinate(
                latitude: coordinate.latitude.rounded(toPlaces: 9), longitude: coordinate.longitude.rounded(toPlaces: 9)
            )
            ?? coordinate
        let fields: [WritableKeyPath<Location, Double?>] = [
            \.horizontalAccuracy, \.altitude, \.ellipsoidalAltitude, \.verticalAccuracy, \.speed, \.speedAccuracy,
            \.courseAccuracy, \.climb, \.climbAccuracy, \.hdop, \.vdop, \.pdop,
        ]
        for field in fields { location[keyPath: field] = location[keyPath: field]?.rounded(toPlaces: 3) }
        location.course = course?.rounded(toPlaces: 3, below: 360)
        return location
    }
}

extension Double {
    /// The nearest number with so many decimal places; what rounds up to `limit`, of an angle, is 0.
    fileprivate func rounded(toPlaces places: Int, below limit: Double = .infinity) -> Double {
        let scale = pow(10, Double(places))
        let value = (self * scale).rounded() / scale
        return value >= limit ? 0 : value
    }
}
