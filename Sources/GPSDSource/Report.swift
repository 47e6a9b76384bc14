import LocationModel

/// What gpsd reports about one receiver, out of C's hands: numbers are finite, absent is `nil`, nothing is judged yet.
enum Report: Equatable {
    case position(PositionReport)
    case sky(SkyReport)
    case attitude(AttitudeReport)
}

/// A TPV.
struct PositionReport: Equatable {
    var device: String?
    var mode = 0
    var status = 0
    var time: UTCTime?
    var latitude, longitude: Double?
    var altitude, ellipsoidalAltitude: Double?
    var horizontalAccuracy, verticalAccuracy: Double?
    var speed, speedAccuracy: Double?
    var course, courseAccuracy: Double?
    var climb, climbAccuracy: Double?
    var magneticVariation: Double?
    /// Fields that were not finite, though present: infinity passes for a number in JSON.
    var infinite = 0
}

/// A SKY.
struct SkyReport: Equatable {
    var device: String?
    var hdop, vdop, pdop: Double?
    /// `nil` if the report has no list, as the second one of an epoch since gpsd 3.25.
    var satellites: [Satellite]?
    var satellitesUsed: Int?
}

/// An ATT.
struct AttitudeReport: Equatable {
    var device: String?
    var time: UTCTime?
    /// Degrees from true north, as gpsd documents it.
    var heading, pitch, roll: Double?
}
