extension Location: Codable {
    /// The names on the wire; the coordinate's members are at the same level as the others.
    private enum CodingKeys: String, CodingKey {
        case latitude, longitude, horizontalAccuracy, accuracyBasis, errorEllipse
        case altitude, ellipsoidalAltitude, geoidSeparation, verticalAccuracy
        case speed, speedAccuracy, course, courseAccuracy, climb, climbAccuracy, magneticVariation
        case mode, augmentation, satellitesUsed, hdop, vdop, pdop, antenna, jamming
        case timestamp, timestampImplausible, implausible, monotonicTime, sequence, source
    }

    /// Decodes the wire's form. `monotonicTime` and `sequence` may be absent, as in a recording made by hand.
    public init(from decoder: any Decoder) throws {
        coordinate = try Coordinate(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        horizontalAccuracy = try container.decodeIfPresent(Double.self, forKey: .horizontalAccuracy)
        accuracyBasis = try container.decodeIfPresent(AccuracyBasis.self, forKey: .accuracyBasis)
        errorEllipse = try container.decodeIfPresent(ErrorEllipse.self, forKey: .errorEllipse)
        altitude = try container.decodeIfPresent(Double.self, forKey: .altitude)
        ellipsoidalAltitude = try container.decodeIfPresent(Double.self, forKey: .ellipsoidalAltitude)
        geoidSeparation = try container.decodeIfPresent(Double.self, forKey: .geoidSeparation)
        verticalAccuracy = try container.decodeIfPresent(Double.self, forKey: .verticalAccuracy)
        speed = try container.decodeIfPresent(Double.self, forKey: .speed)
        speedAccuracy = try container.decodeIfPresent(Double.self, forKey: .speedAccuracy)
        course = try container.decodeIfPresent(Double.self, forKey: .course)
        courseAccuracy = try container.decodeIfPresent(Double.self, forKey: .courseAccuracy)
        climb = try container.decodeIfPresent(Double.self, forKey: .climb)
        climbAccuracy = try container.decodeIfPresent(Double.self, forKey: .climbAccuracy)
        magneticVariation = try container.decodeIfPresent(Double.self, forKey: .magneticVariation)
        mode = try container.decodeIfPresent(FixMode.self, forKey: .mode) ?? .twoDimensional
        augmentation = try container.decodeIfPresent(Augmentation.self, forKey: .augmentation)
        satellitesUsed = try container.decodeIfPresent(Int.self, forKey: .satellitesUsed)
        hdop = try container.decodeIfPresent(Double.self, forKey: .hdop)
        vdop = try container.decodeIfPresent(Double.self, forKey: .vdop)
        pdop = try container.decodeIfPresent(Double.self, forKey: .pdop)
        antenna = try container.decodeIfPresent(AntennaState.self, forKey: .antenna)
        jamming = try container.decodeIfPresent(Int.self, forKey: .jamming)
        timestamp = try container.decodeIfPresent(UTCTime.self, forKey: .timestamp)
        isTimestampImplausible = try container.decodeIfPresent(Bool.self, forKey: .timestampImplausible) ?? false
        implausibility = try container.decodeIfPresent(Implausibility.self, forKey: .implausible)
        monotonicTime =
            try container.decodeIfPresent(BootInstant.self, forKey: .monotonicTime) ?? BootInstant(nanoseconds: 0)
        sequence = try container.decodeIfPresent(Int64.self, forKey: .sequence) ?? 0
        source =
            try container.decodeIfPresent(SourceInformation.self, forKey: .source)
            ?? SourceInformation(name: "unknown", method: .unknown)
    }

    /// Encodes the wire's form without `age`, which is known only at sending.
    public func encode(to encoder: any Encoder) throws {
        try coordinate.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(horizontalAccuracy, forKey: .horizontalAccuracy)
        try container.encodeIfPresent(accuracyBasis, forKey: .accuracyBasis)
        try container.encodeIfPresent(errorEllipse, forKey: .errorEllipse)
        try container.encodeIfPresent(altitude, forKey: .altitude)
        try container.encodeIfPresent(ellipsoidalAltitude, forKey: .ellipsoidalAltitude)
        try container.encodeIfPresent(geoidSeparation, forKey: .geoidSeparation)
        try container.encodeIfPresent(verticalAccuracy, forKey: .verticalAccuracy)
        try container.encodeIfPresent(speed, forKey: .speed)
        try container.encodeIfPresent(speedAccuracy, forKey: .speedAccuracy)
        try container.encodeIfPresent(course, forKey: .course)
        try container.encodeIfPresent(courseAccuracy, forKey: .courseAccuracy)
        try container.encodeIfPresent(climb, forKey: .climb)
        try container.encodeIfPresent(climbAccuracy, forKey: .climbAccuracy)
        try container.encodeIfPresent(magneticVariation, forKey: .magneticVariation)
        try container.encode(mode, forKey: .mode)
        try container.encodeIfPresent(augmentation, forKey: .augmentation)
        try container.encodeIfPresent(satellitesUsed, forKey: .satellitesUsed)
        try container.encodeIfPresent(hdop, forKey: .hdop)
        try container.encodeIfPresent(vdop, forKey: .vdop)
        try container.encodeIfPresent(pdop, forKey: .pdop)
        try container.encodeIfPresent(antenna, forKey: .antenna)
        try container.encodeIfPresent(jamming, forKey: .jamming)
        try container.encodeIfPresent(timestamp, forKey: .timestamp)
        if isTimestampImplausible { try container.encode(true, forKey: .timestampImplausible) }
        try container.encodeIfPresent(implausibility, forKey: .implausible)
        try container.encode(monotonicTime, forKey: .monotonicTime)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(source, forKey: .source)
    }
}
