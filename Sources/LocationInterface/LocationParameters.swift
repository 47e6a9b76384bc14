package import LocationModel

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

/// The reply of `GetStatus` and `RequestAuthorization`.
package struct StatusReply: Codable, Sendable, Hashable {
    package var status: ServiceStatus
    package init(status: ServiceStatus) { self.status = status }
}

/// The reply of `GetLocation`.
package struct LocationReply: Codable, Sendable, Hashable {
    package var location: Aged<Location>
    package init(location: Aged<Location>) { self.location = location }
}

/// The parameters of `RequestAuthorization`.
package struct RequestAuthorizationParameters: ClientRequest {
    package enum Level: String, ClosedEnumeration { case whenInUse, always }
    package var level: Level
    package var purpose: String?
    /// True to request full accuracy too; absent otherwise.
    package var fullAccuracy: Bool?

    package init(level: Level, purpose: String? = nil, fullAccuracy: Bool = false) {
        self.level = level
        self.purpose = purpose
        self.fullAccuracy = fullAccuracy ? true : nil
    }

    package func validate() throws(InvalidField) { try InvalidField.checkPurpose(purpose) }
}
