package import Authorization
package import LocationInterface
package import LocationModel

/// What is recorded each time it happens.
extension AuditTrail {
    /// An administrator decided: granted, or refused, which is a revocation of what was granted before.
    package static func decided(
        _ decision: Decision, about subject: Subject, replacing former: Decision? = nil
    ) -> HistoryRecord {
        let wasGranted = former.map { $0.answer != .denied } ?? false
        let event: HistoryRecord.Event =
            switch decision.answer {
            case .denied: wasGranted ? .revoked : .refused
            case .authorizedWhenInUse, .authorizedAlways: .granted
            }
        var record = HistoryRecord(event, about: subject, by: decision.by, time: decision.time)
        switch decision.answer {
        case .denied: record.authorization = .denied
        case .authorizedWhenInUse: record.authorization = .authorizedWhenInUse
        case .authorizedAlways: record.authorization = .authorizedAlways
        }
        if event == .granted { record.accuracy = decision.accuracy }
        return record
    }

    /// What was refused is forgotten.
    package static func reset(_ subject: Subject, by: String, at time: UTCTime) -> HistoryRecord {
        HistoryRecord(.reset, about: subject, by: by, time: time)
    }

    /// What was granted holds no longer: it was forgotten, or the policy changed.
    package static func revoked(
        _ subject: Subject, authorization: AuthorizationStatus? = nil, by: String, at time: UTCTime
    ) -> HistoryRecord {
        var record = HistoryRecord(.revoked, about: subject, by: by, time: time)
        record.authorization = authorization
        return record
    }
}

extension HistoryRecord {
    /// Something a program did.
    init(_ event: Event, of principal: Principal, purpose: String?, time: UTCTime) {
        self.init(event, principal: principal.description, time: time)
        uid = Int(principal.uid)
        pid = Int(principal.pid)
        self.purpose = purpose
    }

    /// Something people decided.
    init(_ event: Event, about subject: Subject, by: String, time: UTCTime) {
        self.init(event, principal: subject.description, time: time)
        if case .uid(let uid) = subject { self.uid = Int(uid) }
        self.by = by
    }
}
