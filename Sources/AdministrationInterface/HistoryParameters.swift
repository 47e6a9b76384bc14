package import LocationModel

/// A record of the history of authorizations and deliveries.
package struct HistoryRecord: Codable, Sendable, Hashable {
    package enum Event: String, OpenEnumeration {
        case requested, granted, refused, revoked, reset, delivered, ended, unknown
    }

    package var time: UTCTime
    package var event: Event
    package var principal: String
    package var uid: Int?
    package var pid: Int?
    package var authorization: AuthorizationStatus?
    package var accuracy: AccuracyAuthorization?
    /// Who decided: a principal, or the policy.
    package var by: String?
    package var purpose: String?
    /// Seconds for which it was decided; `nil` for ever.
    package var duration: Double?

    package init(_ event: Event, principal: String, time: UTCTime) {
        self.event = event
        self.principal = principal
        self.time = time
    }
}

/// The parameters of `GetHistory`.
package struct GetHistoryParameters: Codable, Sendable, Hashable {
    package var principal: String?
    package var limit: Int?

    package init(principal: String? = nil, limit: Int? = nil) {
        self.principal = principal
        self.limit = limit
    }
}

package struct HistoryReply: Codable, Sendable, Hashable {
    package var records: [HistoryRecord]
    package init(records: [HistoryRecord]) { self.records = records }
}
