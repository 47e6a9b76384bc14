package import LocationModel

/// A journey between two stays.
package struct Trip: Sendable, Hashable, Codable {
    package var number: Int64
    package var begin: UTCTime
    /// `nil` while it lasts, as all that follows.
    package var end: UTCTime?
    /// Metres along the track.
    package var distance: Double?
    /// Seconds.
    package var duration: Double?
    /// Metres per second, of all its locations.
    package var maximumSpeed: Double?

    package init(
        number: Int64, begin: UTCTime, end: UTCTime? = nil, distance: Double? = nil, duration: Double? = nil,
        maximumSpeed: Double? = nil
    ) {
        (self.number, self.begin, self.end) = (number, begin, end)
        (self.distance, self.duration, self.maximumSpeed) = (distance, duration, maximumSpeed)
    }
}

/// A while at one place.
package struct Stay: Sendable, Hashable, Codable {
    package var latitude: Double
    package var longitude: Double
    /// The radius that holds its locations, metres.
    package var accuracy: Double
    package var arrival: UTCTime?
    /// `nil` while it lasts.
    package var departure: UTCTime?

    package init(at coordinate: Coordinate, accuracy: Double, arrival: UTCTime?, departure: UTCTime?) {
        (latitude, longitude, self.accuracy) = (coordinate.latitude, coordinate.longitude, accuracy)
        (self.arrival, self.departure) = (arrival, departure)
    }
}

/// The parameters of `GetTrips` and `GetStays`.
package struct TrackPeriod: Codable, Sendable, Hashable {
    package var from: UTCTime?
    package var to: UTCTime?

    package init(from: UTCTime? = nil, to: UTCTime? = nil) { (self.from, self.to) = (from, to) }
}

/// The parameters of `GetTrack`.
package struct TrackRequest: Codable, Sendable, Hashable {
    package var from: UTCTime?
    package var to: UTCTime?
    package var trip: Int64?
    package var includeSimulated: Bool?

    package init(
        from: UTCTime? = nil, to: UTCTime? = nil, trip: Int64? = nil, includeSimulated: Bool? = nil
    ) {
        (self.from, self.to, self.trip, self.includeSimulated) = (from, to, trip, includeSimulated)
    }
}

package struct TripsReply: Codable, Sendable, Hashable {
    package var trips: [Trip]
    package init(trips: [Trip]) { self.trips = trips }
}

package struct StaysReply: Codable, Sendable, Hashable {
    package var stays: [Stay]
    package init(stays: [Stay]) { self.stays = stays }
}

package struct TrackReply: Codable, Sendable, Hashable {
    package var points: [Point]
    package init(points: [Point]) { self.points = points }

    /// A location of the track.
    package struct Point: Codable, Sendable, Hashable {
        package var time: UTCTime
        package var latitude: Double
        package var longitude: Double
        package var altitude: Double?
        package var speed: Double?
        package var course: Double?
        package var horizontalAccuracy: Double?
        package var verticalAccuracy: Double?
        package var satellitesUsed: Int?
        package var source: String
        package var method: LocationMethod
        package var simulated: Bool
        /// True if no location came for a while before this one.
        package var afterGap: Bool?
    }
}

/// What is recorded.
package struct HistoryState: Codable, Sendable, Hashable {
    package var file: String
    package var bytes: Int
    package var first: UTCTime?
    package var last: UTCTime?
    /// `nil` unless recording is paused.
    package var pausedSince: UTCTime?
    /// The maximum error of the recording, metres.
    package var maximumError: Double
    /// Why nothing is recorded, in words.
    package var reason: String?

    package init(file: String, bytes: Int, maximumError: Double) {
        (self.file, self.bytes, self.maximumError) = (file, bytes, maximumError)
    }
}

package struct HistoryStateReply: Codable, Sendable, Hashable {
    package var state: HistoryState
    package init(state: HistoryState) { self.state = state }
}

extension TrackReply.Point {
    /// A location of the track, that the machine's clock timed so.
    package init(_ location: Location, time: UTCTime, isAfterGap: Bool) {
        self.time = time
        (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
        (altitude, speed, course) = (location.altitude, location.speed, location.course)
        (horizontalAccuracy, verticalAccuracy) = (location.horizontalAccuracy, location.verticalAccuracy)
        satellitesUsed = location.satellitesUsed
        (source, method, simulated) = (location.source.name, location.source.method, location.source.isSimulated)
        afterGap = isAfterGap ? true : nil
    }

    /// The location; `nil` if the position is none.
    package var location: Location? {
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
