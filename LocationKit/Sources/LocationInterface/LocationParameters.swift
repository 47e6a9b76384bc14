@_spi(Programs) public import LocationModel

/// One reply of `Watch`.
@_spi(Programs) public struct WatchReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var status: ServiceStatus?
    @_spi(Programs) public var location: Aged<Location>?
    @_spi(Programs) public var heading: Aged<Heading>?
    @_spi(Programs) public var satellites: [Satellite]?
    @_spi(Programs) public var dropped: Int?

    @_spi(Programs) public init(
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
@_spi(Programs) public struct StatusReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var status: ServiceStatus
    @_spi(Programs) public init(status: ServiceStatus) { self.status = status }
}

/// The reply of `ListReceivers`.
@_spi(Programs) public struct ReceiversReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var receivers: [LocationReceiver]
    @_spi(Programs) public init(receivers: [LocationReceiver]) { self.receivers = receivers }
}

/// A configured source of locations with one of its receivers.
@_spi(Programs) public struct LocationReceiver: Codable, Sendable, Hashable {
    @_spi(Programs) public var source: String
    /// The receiver's path; `nil` if it is not known, or there is none.
    @_spi(Programs) public var device: String?

    @_spi(Programs) public init(source: String, device: String? = nil) {
        (self.source, self.device) = (source, device)
    }
}

/// The reply of `GetLocation`.
@_spi(Programs) public struct LocationReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var location: Aged<Location>
    @_spi(Programs) public init(location: Aged<Location>) { self.location = location }
}

/// The parameters of `RequestAuthorization`.
@_spi(Programs) public struct RequestAuthorizationParameters: ClientRequest {
    @_spi(Programs) public enum Level: String, ClosedEnumeration { case whenInUse, always }
    @_spi(Programs) public var level: Level
    @_spi(Programs) public var purpose: String?
    /// True to request full accuracy too; absent otherwise.
    @_spi(Programs) public var fullAccuracy: Bool?
    /// What the program calls itself, at most ``ServedProgram/labelLimit`` bytes.
    @_spi(Programs) public var program: String?

    @_spi(Programs) public init(
        level: Level, purpose: String? = nil, fullAccuracy: Bool = false, program: String? = nil
    ) {
        self.level = level
        self.purpose = purpose
        self.fullAccuracy = fullAccuracy ? true : nil
        self.program = program
    }

    @_spi(Programs) public func validate() throws(InvalidField) {
        try InvalidField.checkPurpose(purpose)
        if let program, program.isEmpty || program.utf8.count > ServedProgram.labelLimit {
            throw InvalidField("program", "1 to \(ServedProgram.labelLimit) bytes")
        }
    }
}
