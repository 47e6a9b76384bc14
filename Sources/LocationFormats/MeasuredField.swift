import LocationModel

/// A number in a location that may be absent, with its name on the wire and its unit.
struct MeasuredField: Sendable {
    /// The name on the wire.
    let name: String
    /// The unit as part of an identifier; `nil` for a number without unit.
    let unit: String?
    /// The number in a location; absent and not finite are both `nil`.
    let value: @Sendable (Location) -> Double?

    private init(_ name: String, _ unit: String?, _ value: @escaping @Sendable (Location) -> Double?) {
        self.name = name
        self.unit = unit
        self.value = { location in value(location).flatMap { $0.isFinite ? $0 : nil } }
    }

    /// All of them, in the wire's order.
    static let all = [
        MeasuredField("horizontalAccuracy", "m") { $0.horizontalAccuracy },
        MeasuredField("altitude", "m") { $0.altitude },
        MeasuredField("ellipsoidalAltitude", "m") { $0.ellipsoidalAltitude },
        MeasuredField("verticalAccuracy", "m") { $0.verticalAccuracy },
        MeasuredField("speed", "m_per_s") { $0.speed },
        MeasuredField("speedAccuracy", "m_per_s") { $0.speedAccuracy },
        MeasuredField("course", "deg") { $0.course },
        MeasuredField("courseAccuracy", "deg") { $0.courseAccuracy },
        MeasuredField("climb", "m_per_s") { $0.climb },
        MeasuredField("climbAccuracy", "m_per_s") { $0.climbAccuracy },
        MeasuredField("magneticVariation", "deg") { $0.magneticVariation },
        MeasuredField("hdop", nil) { $0.hdop },
        MeasuredField("vdop", nil) { $0.vdop },
        MeasuredField("pdop", nil) { $0.pdop },
    ]
}
