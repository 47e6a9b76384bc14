import LocationKit
public import LocationModel

/// What the receiver has to say.
extension FakeLocationManager {
    /// A location comes, as it is; one of the number 0 gets the next. What is not newer than the last is not told, and
    /// nothing comes while the service is off.
    ///
    /// - Returns: the location with its number.
    @discardableResult
    public func send(_ location: Location) -> Location {
        service.change { state in
            let location = state.take(location)
            state.announce()
            state.tellAll(.location(location, dropped: 0))
            return location
        }
    }

    /// A location comes, made up at this moment of the fake's clock.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    ///   - horizontalAccuracy: metres.
    ///   - altitude: metres above mean sea level.
    ///   - speed: metres per second.
    ///   - course: degrees clockwise from true north, 0..<360.
    ///   - timestamp: the receiver's UTC.
    /// - Returns: the location; `nil` if there is no such place, and nothing is sent then.
    @discardableResult
    public func send(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = 5, altitude: Double? = nil,
        speed: Double? = nil, course: Double? = nil, timestamp: UTCTime? = nil
    ) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var location = Location(
            coordinate: coordinate, mode: altitude == nil ? .twoDimensional : .threeDimensional, monotonicTime: now,
            source: SourceInformation(name: "fake", isSimulated: true))
        location.horizontalAccuracy = horizontalAccuracy
        location.altitude = altitude
        location.speed = speed
        location.course = course
        location.timestamp = timestamp
        return send(location)
    }

    /// A heading comes.
    public func send(_ heading: Heading) {
        service.change { state in
            state.world.headingAvailable = true
            state.announce()
            state.tellAll(.heading(heading))
        }
    }

    /// The receiver has no fix any more, until the next location.
    public func loseFix() {
        service.change { state in
            state.world.reception = .lost
            state.announce()
        }
    }

    /// No receiver can be reached, until the next location.
    public func becomeUnavailable(reason: String = "the receiver cannot be reached") {
        service.change { state in
            state.world.reception = .unavailable(reason: reason)
            state.announce()
        }
    }
}
