package import LocationModel

/// What `GetLocation` takes.
package struct GetLocationParameters: Codable, Sendable, Hashable {
    package var maximumAge: Double?
    package var timeout: Double?
    package var requiredAccuracy: Double?
    package var passive: Bool?

    package init(
        maximumAge: Double? = nil, timeout: Double? = nil, requiredAccuracy: Double? = nil, passive: Bool? = nil
    ) {
        self.maximumAge = maximumAge
        self.timeout = timeout
        self.requiredAccuracy = requiredAccuracy
        self.passive = passive
    }
}

/// What `Watch` takes.
package struct WatchParameters: Codable, Sendable, Hashable {
    package var distanceFilter: Double?
    package var requiredAccuracy: Double?
    package var minimumInterval: Double?
    package var maximumUpdates: Int?
    package var location: Bool?
    package var heading: Bool?
    package var satellites: Bool?
    package var passive: Bool?
    package var everySource: Bool?
    package var purpose: String?

    package init() {}
}

/// One reply of `Watch`.
package struct WatchReply: Codable, Sendable, Hashable {
    package var status: ServiceStatus?
    package var location: Aged<Location>?
    package var heading: Aged<Heading>?
    package var satellites: [Satellite]?
    package var dropped: Int?

    package init(
        status: ServiceStatus? = nil, location: Aged<Location>? = nil, heading: Aged<Heading>? = nil,
        satellites: [Satellite]? = nil, dropped: Int? = nil
    ) {
        self.status = status
        self.location = location
        self.heading = heading
        self.satellites = satellites
        self.dropped = dropped
    }
}

/// What `GetStatus` and `RequestAuthorization` answer.
package struct StatusReply: Codable, Sendable, Hashable {
    package var status: ServiceStatus
    package init(status: ServiceStatus) { self.status = status }
}

/// What `GetLocation` answers.
package struct LocationReply: Codable, Sendable, Hashable {
    package var location: Aged<Location>
    package init(location: Aged<Location>) { self.location = location }
}

/// What `RequestAuthorization` takes.
package struct RequestAuthorizationParameters: Codable, Sendable, Hashable {
    package enum Level: String, Codable, Sendable { case whenInUse, always }
    package var level: Level
    package var purpose: String?

    package init(level: Level, purpose: String? = nil) {
        self.level = level
        self.purpose = purpose
    }
}
