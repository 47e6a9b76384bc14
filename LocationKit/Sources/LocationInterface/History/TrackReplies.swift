@_spi(Programs) public import LocationModel

/// A journey between two stays.
@_spi(Programs) public struct Trip: Sendable, Hashable, Codable {
    @_spi(Programs) public var number: Int64
    @_spi(Programs) public var begin: UTCTime
    /// `nil` while it lasts, as the three that follow.
    @_spi(Programs) public var end: UTCTime?
    /// Metres along the track.
    @_spi(Programs) public var distance: Double?
    /// Seconds.
    @_spi(Programs) public var duration: Double?
    /// Metres per second, of all its locations.
    @_spi(Programs) public var maximumSpeed: Double?
    /// Metres along the track to its newest point; `nil` once it has ended.
    @_spi(Programs) public var distanceSoFar: Double?
    /// Seconds to the newest point; `nil` once it has ended.
    @_spi(Programs) public var durationSoFar: Double?

    @_spi(Programs) public init(
        number: Int64, begin: UTCTime, end: UTCTime? = nil, distance: Double? = nil, duration: Double? = nil,
        maximumSpeed: Double? = nil
    ) {
        (self.number, self.begin, self.end) = (number, begin, end)
        (self.distance, self.duration, self.maximumSpeed) = (distance, duration, maximumSpeed)
    }
}

/// A while at one place.
@_spi(Programs) public struct Stay: Sendable, Hashable, Codable {
    @_spi(Programs) public var latitude: Double
    @_spi(Programs) public var longitude: Double
    /// The radius that holds its locations, metres.
    @_spi(Programs) public var accuracy: Double
    @_spi(Programs) public var arrival: UTCTime?
    /// `nil` while it lasts.
    @_spi(Programs) public var departure: UTCTime?

    @_spi(Programs) public init(at coordinate: Coordinate, accuracy: Double, arrival: UTCTime?, departure: UTCTime?) {
        (latitude, longitude, self.accuracy) = (coordinate.latitude, coordinate.longitude, accuracy)
        (self.arrival, self.departure) = (arrival, departure)
    }
}

/// The parameters of `GetTrips` and `GetStays`.
@_spi(Programs) public struct TrackPeriod: Codable, Sendable, Hashable {
    @_spi(Programs) public var from: UTCTime?
    @_spi(Programs) public var to: UTCTime?

    @_spi(Programs) public init(from: UTCTime? = nil, to: UTCTime? = nil) { (self.from, self.to) = (from, to) }
}

/// The parameters of `GetTrack`.
@_spi(Programs) public struct TrackRequest: Codable, Sendable, Hashable {
    @_spi(Programs) public var from: UTCTime?
    @_spi(Programs) public var to: UTCTime?
    @_spi(Programs) public var trip: Int64?
    @_spi(Programs) public var includeSimulated: Bool?

    @_spi(Programs) public init(
        from: UTCTime? = nil, to: UTCTime? = nil, trip: Int64? = nil, includeSimulated: Bool? = nil
    ) {
        (self.from, self.to, self.trip, self.includeSimulated) = (from, to, trip, includeSimulated)
    }
}

@_spi(Programs) public struct TripsReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var trips: [Trip]
    @_spi(Programs) public init(trips: [Trip]) { self.trips = trips }
}

@_spi(Programs) public struct StaysReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var stays: [Stay]
    @_spi(Programs) public init(stays: [Stay]) { self.stays = stays }
}

@_spi(Programs) public struct TrackReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var points: [Point]
    @_spi(Programs) public init(points: [Point]) { self.points = points }

    /// A location of the track.
    @_spi(Programs) public struct Point: Codable, Sendable, Hashable {
        @_spi(Programs) public var time: UTCTime
        @_spi(Programs) public var latitude: Double
        @_spi(Programs) public var longitude: Double
        @_spi(Programs) public var altitude: Double?
        @_spi(Programs) public var speed: Double?
        @_spi(Programs) public var course: Double?
        @_spi(Programs) public var horizontalAccuracy: Double?
        @_spi(Programs) public var verticalAccuracy: Double?
        @_spi(Programs) public var satellitesUsed: Int?
        @_spi(Programs) public var source: String
        @_spi(Programs) public var method: LocationMethod
        @_spi(Programs) public var simulated: Bool
        /// True if no location came for a while before this one.
        @_spi(Programs) public var afterGap: Bool?
    }
}

/// What is recorded.
@_spi(Programs) public struct HistoryState: Codable, Sendable, Hashable {
    @_spi(Programs) public var file: String
    @_spi(Programs) public var bytes: Int
    @_spi(Programs) public var first: UTCTime?
    @_spi(Programs) public var last: UTCTime?
    /// `nil` unless recording is paused.
    @_spi(Programs) public var pausedSince: UTCTime?
    /// The maximum error of the recording, metres.
    @_spi(Programs) public var maximumError: Double
    /// Why nothing is recorded, in words.
    @_spi(Programs) public var reason: String?

    @_spi(Programs) public init(file: String, bytes: Int, maximumError: Double) {
        (self.file, self.bytes, self.maximumError) = (file, bytes, maximumError)
    }
}

@_spi(Programs) public struct HistoryStateReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var state: HistoryState
    @_spi(Programs) public init(state: HistoryState) { self.state = state }
}

extension TrackReply.Point {
    /// A location of the track, that the machine's clock timed so.
    @_spi(Programs) public init(_ location: Location, time: UTCTime, isAfterGap: Bool) {
        self.time = time
        (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
        (altitude, speed, course) = (location.altitude, location.speed, location.course)
        (horizontalAccuracy, verticalAccuracy) = (location.horizontalAccuracy, location.verticalAccuracy)
        satellitesUsed = location.satellitesUsed
        (source, method, simulated) = (location.source.name, location.source.method, location.source.isSimulated)
        afterGap = isAfterGap ? true : nil
    }

    /// The location; `nil` if the position is none.
    @_spi(Programs) public var location: Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        // Its moments are compared with each other alone.
        let moment = BootInstant(seconds: time.seconds(since: UTCTime(seconds: 0)))
        var location = Location(
            coordinate: coordinate, mode: altitude == nil ? .twoDimensional : .threeDimensional, monotonicTime: moment,
            source: SourceInformation(name: source, method: method, isSimulated: simulated))
        location.timestamp = time
        (location.altitude, location.speed, location.course) = (altitude, speed, course)
        (location.horizontalAccuracy, location.verticalAccuracy) = (horizontalAccuracy, verticalAccuracy)
        location.satellitesUsed = satellitesUsed
        return location
    }
}
