@_spi(Programs) public import LocationModel

/// A record of the history of authorizations and deliveries.
@_spi(Programs) public struct AuditRecord: Codable, Sendable, Hashable {
    @_spi(Programs) public enum Event: String, OpenEnumeration {
        case requested, granted, refused, revoked, reset, delivered, ended, unknown
    }

    @_spi(Programs) public var time: UTCTime
    @_spi(Programs) public var event: Event
    @_spi(Programs) public var principal: String
    @_spi(Programs) public var uid: Int?
    @_spi(Programs) public var pid: Int?
    @_spi(Programs) public var authorization: AuthorizationStatus?
    @_spi(Programs) public var accuracy: AccuracyAuthorization?
    /// Who decided: a principal, or the policy.
    @_spi(Programs) public var by: String?
    @_spi(Programs) public var purpose: String?
    /// Seconds for which it was decided; `nil` for ever.
    @_spi(Programs) public var duration: Double?
    /// The process that was decided about, if it was no other one of the user's programs.
    @_spi(Programs) public var process: Int?

    @_spi(Programs) public init(_ event: Event, principal: String, time: UTCTime) {
        self.event = event
        self.principal = principal
        self.time = time
    }
}

/// The parameters of `GetHistory`.
@_spi(Programs) public struct AuditParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var principal: String?
    @_spi(Programs) public var limit: Int?

    @_spi(Programs) public init(principal: String? = nil, limit: Int? = nil) {
        self.principal = principal
        self.limit = limit
    }
}

@_spi(Programs) public struct AuditReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var records: [AuditRecord]
    @_spi(Programs) public init(records: [AuditRecord]) { self.records = records }
}
