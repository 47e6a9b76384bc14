@_spi(Programs) package import LocationModel

/// A location as OwnTracks writes it: metres, km/h and degrees, most of them whole numbers. What is not known is left
/// out.
package struct OwnTracksLocation: Sendable, Equatable, Encodable {
    /// Why a location is sent, by OwnTracks' letters.
    package enum Trigger: String, Sendable, Encodable {
        /// The device moves.
        case moving = "t"
        /// The device stands, and the longest interval is over.
        case heartbeat = "T"
        /// Somebody has asked for it.
        case response = "r"
    }

    package let latitude: Double
    package let longitude: Double
    /// The fix's time, seconds since 1970.
    package let time: Int64
    /// When the message was written, if that is another second.
    package let creationTime: Int64?
    package let accuracy: Int?
    package let altitude: Int?
    package let verticalAccuracy: Int?
    /// km/h.
    package let speed: Int?
    /// Degrees clockwise from true north.
    package let course: Double?
    package let trackerID: String
    package let identifier: String
    package let trigger: Trigger
    package let isSimulated: Bool

    /// - Parameter now: the wall clock; it is also the time of a fix that has none of its own, or an implausible one.
    package init(
        _ location: Location, age: Double, now: UTCTime, identifier: MessageIdentifier, trackerID: String,
        trigger: Trigger
    ) {
        // 1e-7 degrees are a centimetre.
        latitude = (location.coordinate.latitude * 1e7).rounded() / 1e7
        longitude = (location.coordinate.longitude * 1e7).rounded() / 1e7
        time = location.unixTime(age: age, now: now)
        creationTime = time == now.seconds ? nil : now.seconds
        // Never better than the receiver says.
        accuracy = location.horizontalAccuracy.flatMap { Int(exactly: $0.rounded(.up)) }
        verticalAccuracy = location.verticalAccuracy.flatMap { Int(exactly: $0.rounded(.up)) }
        altitude = location.altitude.flatMap { Int(exactly: $0.rounded()) }
        speed = location.speed.flatMap { Int(exactly: ($0 * 3.6).rounded()) }
        course = location.course.map { ($0 * 10).rounded() / 10 }
        self.trackerID = trackerID
        self.identifier = identifier.description
        self.trigger = trigger
        isSimulated = location.source.isSimulated
    }

    private enum CodingKeys: String, CodingKey {
        case type = "_type", identifier = "_id"
        case latitude = "lat", longitude = "lon", time = "tst", creationTime = "created_at"
        case accuracy = "acc", altitude = "alt", verticalAccuracy = "vac", speed = "vel", course = "cog"
        case trackerID = "tid", trigger = "t", mode = "m", simulated
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("location", forKey: .type)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
        try container.encode(time, forKey: .time)
        try container.encodeIfPresent(creationTime, forKey: .creationTime)
        try container.encodeIfPresent(accuracy, forKey: .accuracy)
        try container.encodeIfPresent(altitude, forKey: .altitude)
        try container.encodeIfPresent(verticalAccuracy, forKey: .verticalAccuracy)
        try container.encodeIfPresent(speed, forKey: .speed)
        try container.encodeIfPresent(course, forKey: .course)
        try container.encode(trackerID, forKey: .trackerID)
        try container.encode(trigger, forKey: .trigger)
        // 2 is OwnTracks' mode "move": locations by distance and time.
        try container.encode(2, forKey: .mode)
        if isSimulated { try container.encode(true, forKey: .simulated) }
    }
}

extension Location {
    /// Seconds since 1970: the receiver's, or by the wall clock where it has no time, or an implausible one.
    package func unixTime(age: Double, now: UTCTime) -> Int64 {
        if let timestamp, !isTimestampImplausible { return timestamp.seconds }
        return now.advanced(bySeconds: -age).seconds
    }
}
