@_spi(Programs) public import LocationModel

/// One principal in the reply of `ListAuthorizations`.
@_spi(Programs) public struct AuthorizationReport: Codable, Sendable, Hashable {
    @_spi(Programs) public typealias Level = RequestAuthorizationParameters.Level

    @_spi(Programs) public var principal: String
    @_spi(Programs) public var authorization: AuthorizationStatus
    @_spi(Programs) public var accuracy: AccuracyAuthorization
    @_spi(Programs) public var pending: Bool
    @_spi(Programs) public var level: Level?
    @_spi(Programs) public var purpose: String?
    /// True if the last request wants full accuracy too; else `nil`.
    @_spi(Programs) public var fullAccuracy: Bool?
    /// Seconds for which a decision with a term still holds.
    @_spi(Programs) public var remaining: Double?
    @_spi(Programs) public var requestedAt: UTCTime?
    @_spi(Programs) public var decidedBy: String?
    @_spi(Programs) public var decidedAt: UTCTime?
    @_spi(Programs) public var account: String?
    @_spi(Programs) public var connections: Int
    /// The process that a decision is about; `nil` for one about the whole principal.
    @_spi(Programs) public var process: Int?
    /// What the program in that process calls itself.
    @_spi(Programs) public var program: String?

    @_spi(Programs) public init(
        principal: String, authorization: AuthorizationStatus, accuracy: AccuracyAuthorization = .full,
        pending: Bool = false, connections: Int = 0
    ) {
        self.principal = principal
        self.authorization = authorization
        self.accuracy = accuracy
        self.pending = pending
        self.connections = connections
    }
}

@_spi(Programs) public struct AuthorizationList: Codable, Sendable, Hashable {
    @_spi(Programs) public var authorizations: [AuthorizationReport]
    /// Rules and decisions that cannot apply on this kernel, with the reason.
    @_spi(Programs) public var inactive: [String]

    @_spi(Programs) public init(authorizations: [AuthorizationReport], inactive: [String] = []) {
        self.authorizations = authorizations
        self.inactive = inactive
    }
}

/// The parameters of `SetAuthorization`.
@_spi(Programs) public struct SetAuthorizationParameters: ClientRequest {
    @_spi(Programs) public enum Answer: String, ClosedEnumeration {
        case denied, authorizedWhenInUse, authorizedAlways, unchanged
    }
    @_spi(Programs) public enum Accuracy: String, ClosedEnumeration { case full, reduced }

    @_spi(Programs) public var principal: String
    @_spi(Programs) public var authorization: Answer
    @_spi(Programs) public var accuracy: Accuracy?
    /// Seconds for which it holds; `nil` for ever.
    @_spi(Programs) public var duration: Double?
    /// The pid of the one process to which it is granted, until that ends; `nil` for all programs.
    @_spi(Programs) public var process: Int?

    @_spi(Programs) public init(
        principal: String, authorization: Answer, accuracy: Accuracy? = nil, duration: Double? = nil,
        process: Int? = nil
    ) {
        self.principal = principal
        self.authorization = authorization
        self.accuracy = accuracy
        self.duration = duration
        self.process = process
    }

    @_spi(Programs) public func validate() throws(InvalidField) {
        try DecidedProcess.validate(process, ofDenial: authorization == .denied)
        try DecisionTerm.validate(duration, ofDenial: authorization == .denied)
    }
}

/// The parameters of `ResetAuthorization` and of the error `NoSuchPrincipal`.
@_spi(Programs) public struct PrincipalName: Codable, Sendable, Hashable {
    @_spi(Programs) public var principal: String
    @_spi(Programs) public init(principal: String) { self.principal = principal }
}

/// The reply of `SetAuthorization` and `ResetAuthorization`.
@_spi(Programs) public struct AuthorizationChange: Codable, Sendable, Hashable {
    /// The stored form: `uid:N` or `unit:NAME.service`.
    @_spi(Programs) public var principal: String
    /// The number of its open connections.
    @_spi(Programs) public var connections: Int

    @_spi(Programs) public init(principal: String, connections: Int) {
        self.principal = principal
        self.connections = connections
    }
}
