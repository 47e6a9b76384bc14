@_spi(Programs) package import LocationModel

/// A region's border was crossed, as OwnTracks writes it.
package struct OwnTracksTransition: Sendable, Equatable, Encodable {
    package enum Event: String, Sendable, Encodable {
        case enter
        case leave
    }

    package let event: Event
    /// The region's name.
    package let region: String
    package let latitude: Double
    package let longitude: Double
    /// Metres.
    package let accuracy: Int
    package let time: Int64
    /// Since when there is the region, seconds since 1970.
    package let regionTime: Int64
    package let trackerID: String
    package let identifier: String
    package let isSimulated: Bool

    /// - Parameters:
    ///   - regionTime: when the region was created, seconds since 1970.
    ///   - identifier: the identifier of the location's message.
    package init(
        _ event: Event, region: String, at location: Location, age: Double, now: UTCTime, regionTime: Int64,
        identifier: MessageIdentifier, trackerID: String
    ) {
        self.event = event
        self.region = region
        latitude = (location.coordinate.latitude * 1e7).rounded() / 1e7
        longitude = (location.coordinate.longitude * 1e7).rounded() / 1e7
        // OwnTracks requires it; the daemon treats a fix of unknown accuracy as one of 100 m when it decides.
        accuracy = location.horizontalAccuracy.flatMap { Int(exactly: $0.rounded(.up)) } ?? 100
        time = location.unixTime(age: age, now: now)
        self.regionTime = regionTime
        self.trackerID = trackerID
        self.identifier = identifier.event(event.rawValue, at: region).description
        isSimulated = location.source.isSimulated
    }

    private enum CodingKeys: String, CodingKey {
        case type = "_type", identifier = "_id", event, region = "desc", trigger = "t"
        case latitude = "lat", longitude = "lon", accuracy = "acc", time = "tst", regionTime = "wtst"
        case trackerID = "tid", simulated
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("transition", forKey: .type)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(event, forKey: .event)
        try container.encode(region, forKey: .region)
        try container.encode("c", forKey: .trigger)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
        try container.encode(accuracy, forKey: .accuracy)
        try container.encode(time, forKey: .time)
        try container.encode(regionTime, forKey: .regionTime)
        try container.encode(trackerID, forKey: .trackerID)
        if isSimulated { try container.encode(true, forKey: .simulated) }
    }
}
