package import LocationInterface
package import LocationModel

/// One principal in the reply of `ListAuthorizations`.
package struct AuthorizationReport: Codable, Sendable, Hashable {
    package typealias Level = RequestAuthorizationParameters.Level

    package var principal: String
    package var authorization: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
    package var pending: Bool
    package var level: Level?
    package var purpose: String?
    /// True if the last request wants full accuracy too; else `nil`.
    package var fullAccuracy: Bool?
    /// Seconds for which a decision with a term still holds.
    package var remaining: Double?
    package var requestedAt: UTCTime?
    package var decidedBy: String?
    package var decidedAt: UTCTime?
    package var account: String?
    package var connections: Int

    package init(
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

package struct AuthorizationList: Codable, Sendable, Hashable {
    package var authorizations: [AuthorizationReport]
    /// Rules and decisions that cannot apply on this kernel, with the reason.
    package var inactive: [String]

    package init(authorizations: [AuthorizationReport], inactive: [String] = []) {
        self.authorizations = authorizations
        self.inactive = inactive
    }
}

/// The parameters of `SetAuthorization`.
package struct SetAuthorizationParameters: Codable, Sendable, Hashable {
    package enum Answer: String, ClosedEnumeration { case denied, authorizedWhenInUse, authorizedAlways, unchanged }
    package enum Accuracy: String, ClosedEnumeration { case full, reduced }

    package var principal: String
    package var authorization: Answer
    package var accuracy: Accuracy?
    /// Seconds for which it holds; `nil` for ever.
    package var duration: Double?

    package init(principal: String, authorization: Answer, accuracy: Accuracy? = nil, duration: Double? = nil) {
        self.principal = principal
        self.authorization = authorization
        self.accuracy = accuracy
        self.duration = duration
    }
}

/// The parameters of `ResetAuthorization` and of the error `NoSuchPrincipal`.
package struct PrincipalName: Codable, Sendable, Hashable {
    package var principal: String
    package init(principal: String) { self.principal = principal }
}

/// The reply of `SetAuthorization` and `ResetAuthorization`.
package struct AuthorizationChange: Codable, Sendable, Hashable {
    /// The stored form: `uid:N` or `unit:NAME.service`.
    package var principal: String
    /// The number of its open connections.
    package var connections: Int

    package init(principal: String, connections: Int) {
        self.principal = principal
        self.connections = connections
    }
}
