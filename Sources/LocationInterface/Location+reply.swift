import LocationModel
import Varlink

extension Aged<Location> {
    /// Encodes a reply of a watch with nothing but this location. The result equals that of encoding a ``WatchReply``;
    /// it is written by hand because every fix passes through it.
    ///
    /// - Returns: `nil` if a number is not finite.
    package func watchReply() -> [UInt8]? {
        var text = ReplyText(capacity: 768)
        text.begin("location")
        text.add("accuracyBasis", value.accuracyBasis?.rawValue)
        text.add("age", age)
        text.add("altitude", value.altitude)
        text.add("antenna", value.antenna?.rawValue)
        text.add("augmentation", value.augmentation?.rawValue)
        text.add("climb", value.climb)
        text.add("climbAccuracy", value.climbAccuracy)
        text.add("course", value.course)
        text.add("courseAccuracy", value.courseAccuracy)
        text.add("ellipsoidalAltitude", value.ellipsoidalAltitude)
        if let ellipse = value.errorEllipse { text.add("errorEllipse", ellipse) }
        text.add("geoidSeparation", value.geoidSeparation)
        text.add("hdop", value.hdop)
        text.add("horizontalAccuracy", value.horizontalAccuracy)
        text.add("implausible", value.implausibility?.rawValue)
        text.add("jamming", value.jamming)
        text.add("latitude", value.coordinate.latitude)
        text.add("longitude", value.coordinate.longitude)
        text.add("magneticVariation", value.magneticVariation)
        text.add("mode", value.mode.rawValue)
        text.add("monotonicTime", value.monotonicTime.seconds)
        text.add("pdop", value.pdop)
        text.add("satellitesUsed", value.satellitesUsed)
        text.add("sequence", value.sequence)
        text.begin("source")
        text.add("device", value.source.device)
        text.add("isReplayed", value.source.isReplayed)
        text.add("isSimulated", value.source.isSimulated)
        if value.source.method != .unknown { text.add("method", value.source.method.rawValue) }
        text.add("name", value.source.name)
        text.end()
        text.add("speed", value.speed)
        text.add("speedAccuracy", value.speedAccuracy)
        text.add("timestamp", value.timestamp?.description)
        if value.isTimestampImplausible { text.add("timestampImplausible", true) }
        text.add("vdop", value.vdop)
        text.add("verticalAccuracy", value.verticalAccuracy)
        text.end()
        return text.finish()
    }
}

extension ReplyText {
    fileprivate mutating func add(_ name: StaticString, _ ellipse: ErrorEllipse) {
        begin(name)
        add("isStandardDeviation", ellipse.isStandardDeviation)
        add("orientation", ellipse.orientation)
        add("semiMajorAxis", ellipse.semiMajorAxis)
        add("semiMinorAxis", ellipse.semiMinorAxis)
        end()
    }
}
