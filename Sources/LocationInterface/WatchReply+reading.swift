import LocationModel
import Varlink

extension WatchReply {
    /// Reads a reply of a watch with nothing but a location or satellites, which more replies follow: what
    /// ``Aged/watchReply()`` and ``encoded(_:)`` write. The result equals that of decoding; it is read by hand because every
    /// fix passes through it.
    ///
    /// - Parameter message: one message without its NUL.
    /// - Returns: `nil` if it says anything else, or says it in another form: it is to be decoded then.
    package init?(reading message: [UInt8]) {
        guard var reader = ReplyReader(message) else { return nil }
        if let location = reader.agedLocation() {
            self.init(location: location)
        } else if let satellites = reader.satellites() {
            self.init(satellites: satellites)
        } else {
            return nil
        }
        guard reader.finish() else { return nil }
    }
}

extension ReplyReader {
    /// - Returns: `nil` if there is none, or a member is missing that has to be there.
    fileprivate mutating func agedLocation() -> Aged<Location>? {
        guard begin("location") else { return nil }
        let accuracyBasis = name("accuracyBasis", as: AccuracyBasis.self)
        guard let age = number("age") else { return nil }
        let altitude = number("altitude")
        let antenna = name("antenna", as: AntennaState.self)
        let augmentation = name("augmentation", as: Augmentation.self)
        let (climb, climbAccuracy) = (number("climb"), number("climbAccuracy"))
        let (course, courseAccuracy) = (number("course"), number("courseAccuracy"))
        let ellipsoidalAltitude = number("ellipsoidalAltitude")
        let errorEllipse = ellipse()
        let geoidSeparation = number("geoidSeparation")
        let hdop = number("hdop")
        let horizontalAccuracy = number("horizontalAccuracy")
        let implausibility = name("implausible", as: Implausibility.self)
        let jamming = integer("jamming", as: Int.self)
        guard let latitude = number("latitude"), let longitude = number("longitude"),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        let magneticVariation = number("magneticVariation")
        guard let mode = name("mode", as: FixMode.self), let monotonicTime = number("monotonicTime") else { return nil }
        let pdop = number("pdop")
        let satellitesUsed = integer("satellitesUsed", as: Int.self)
        guard let sequence = integer("sequence", as: Int64.self), let source = source() else { return nil }
        var location = Location(
            coordinate: coordinate, mode: mode, monotonicTime: BootInstant(seconds: monotonicTime), source: source)
        location.sequence = sequence
        (location.speed, location.speedAccuracy) = (number("speed"), number("speedAccuracy"))
        if let text = text("timestamp") {
            guard let timestamp = UTCTime(text) else { return nil }
            location.timestamp = timestamp
        }
        location.isTimestampImplausible = flag("timestampImplausible") ?? false
        (location.vdop, location.verticalAccuracy) = (number("vdop"), number("verticalAccuracy"))
        end()
        (location.accuracyBasis, location.antenna, location.augmentation) = (accuracyBasis, antenna, augmentation)
        (location.altitude, location.ellipsoidalAltitude) = (altitude, ellipsoidalAltitude)
        (location.climb, location.climbAccuracy) = (climb, climbAccuracy)
        (location.course, location.courseAccuracy) = (course, courseAccuracy)
        (location.errorEllipse, location.horizontalAccuracy) = (errorEllipse, horizontalAccuracy)
        (location.geoidSeparation, location.magneticVariation) = (geoidSeparation, magneticVariation)
        (location.hdop, location.pdop, location.satellitesUsed) = (hdop, pdop, satellitesUsed)
        (location.implausibility, location.jamming) = (implausibility, jamming)
        var aged = Aged(location, age: 0)
        // Rounded already, where it was written.
        aged.age = age
        return aged
    }

    private mutating func name<Name: OpenEnumeration>(_ member: StaticString, as type: Name.Type) -> Name? {
        text(member).map { Name(rawValue: $0) ?? .unknown }
    }

    private mutating func ellipse() -> ErrorEllipse? {
        guard begin("errorEllipse") else { return nil }
        let isStandardDeviation = flag("isStandardDeviation")
        let (orientation, major, minor) = (number("orientation"), number("semiMajorAxis"), number("semiMinorAxis"))
        end()
        guard let isStandardDeviation, let orientation, let major, let minor,
            var ellipse = ErrorEllipse(
                semiMajorAxis: major, semiMinorAxis: minor, orientation: orientation,
                isStandardDeviation: isStandardDeviation)
        else { return fail() }
        ellipse.orientation = orientation
        return ellipse
    }

    private mutating func source() -> SourceInformation? {
        guard begin("source") else { return nil }
        let device = text("device")
        guard let isReplayed = flag("isReplayed"), let isSimulated = flag("isSimulated") else { return nil }
        let given = name("method", as: LocationMethod.self)
        guard let name = text("name") else { return nil }
        end()
        let method = isReplayed ? .replayed : given ?? (isSimulated ? .simulated : .unknown)
        return SourceInformation(name: name, device: device, method: method, isSimulated: isSimulated)
    }
}
