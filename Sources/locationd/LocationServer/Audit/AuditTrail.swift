package import Authorization
@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel

/// Decides which events become records of the audit. Pure; it belongs to the event loop.
///
/// Repeated events are recorded once a day (UTC): the first delivery to a principal at each accuracy, its first refusal
/// under each authorization status, and its first request for each level and accuracy. Administrators' decisions are
/// always recorded, and a request after one is a new one: it is recorded again on the same day.
///
/// This is checked at each fix for thousands of clients, so the server keeps the recorded day with each client and
/// compares numbers:
///
///     trail.advance(to: MachineClock.utc)                      // once per fix
///     if client.auditedDay != trail.day {                      // per client
///         client.auditedDay = trail.day
///         if let record = trail.delivered(client.principal, accuracy: …) { state.record(record) }
///     }
///
/// and sets `client.auditedDay` to `nil` when the client's permission changes.
///
/// Principals without permission can be many: one user with a range of subordinate uids is thousands of principals. So
/// at most ``refusalLimit`` of them are recorded in a day, and the others are counted in the metrics alone. Their
/// records would push important ones out of the audit and the journal.
///
/// Only the marks of the present day are kept, at most ``capacity`` of them. Above that, or when the clock goes to
/// another day and back, all marks are dropped. A second record on one day is better than memory that unauthorized
/// clients can fill.
package struct AuditTrail: Sendable {
    package static let capacity = 4096
    package static let refusalLimit = 512

    private enum Mark: Hashable {
        case delivered(String, AccuracyAuthorization)
        case refused(String, AuthorizationStatus)
        case requested(String, AuthorizationRequest.Level, fullAccuracy: Bool)
    }

    /// The present day, counted from 1970-01-01 in UTC.
    package private(set) var day: Int
    private var marks: Set<Mark> = []
    /// The number of refusals recorded on this day.
    private var refusals = 0

    package init(at time: UTCTime) {
        day = Self.day(of: time)
    }

    /// The number of days from 1970-01-01 to the day of `time`, in UTC.
    package static func day(of time: UTCTime) -> Int {
        let (quotient, remainder) = time.seconds.quotientAndRemainder(dividingBy: 86_400)
        return Int(remainder < 0 ? quotient - 1 : quotient)
    }

    /// Sets the present day; a new day begins without marks.
    package mutating func advance(to time: UTCTime) {
        let day = Self.day(of: time)
        guard day != self.day else { return }
        self.day = day
        marks.removeAll()
        refusals = 0
    }

    /// Adds the marks of the present day's records of earlier runs, so that a restart does not record them again.
    package mutating func resume(_ records: [AuditRecord]) {
        for record in records where Self.day(of: record.time) == day {
            switch record.event {
            case .delivered:
                if let accuracy = record.accuracy { _ = isFirst(.delivered(record.principal, accuracy)) }
            case .refused:
                // A record with a pid answers a program; a record without one is an administrator's decision.
                guard record.pid != nil else {
                    settleRequests(of: record.principal)
                    continue
                }
                guard let status = record.authorization else { continue }
                if isFirst(.refused(record.principal, status)) { refusals += 1 }
            case .requested:
                guard let status = record.authorization else { continue }
                _ = isFirst(
                    .requested(
                        record.principal, status == .authorizedAlways ? .always : .whenInUse,
                        fullAccuracy: record.accuracy == .full))
            case .granted, .revoked, .reset, .ended: settleRequests(of: record.principal)
            case .unknown: break
            }
        }
    }

    /// A decision about a subject was made, reset, or has ended: its next request is a new one, and is recorded.
    package mutating func settleRequests(of subject: Subject) { settleRequests(of: subject.description) }

    private mutating func settleRequests(of principal: String) {
        for level in [AuthorizationRequest.Level.whenInUse, .always] {
            for fullAccuracy in [false, true] {
                marks.remove(.requested(principal, level, fullAccuracy: fullAccuracy))
            }
        }
    }

    /// A location was delivered to a client.
    /// - Returns: `nil` if this day has such a record already.
    package mutating func delivered(
        _ principal: Principal, accuracy: AccuracyAuthorization, authorization: AuthorizationStatus? = nil,
        purpose: String? = nil, at time: UTCTime
    ) -> AuditRecord? {
        advance(to: time)
        guard isFirst(.delivered(principal.description, accuracy)) else { return nil }
        var record = AuditRecord(.delivered, of: principal, purpose: purpose, time: time)
        record.accuracy = accuracy
        record.authorization = authorization
        return record
    }

    /// A program's call was refused, or its watch receives nothing.
    /// - Parameter authorization: the status under which it was refused.
    /// - Returns: `nil` if this day has such a record already, or too many of others.
    package mutating func refused(
        _ principal: Principal, authorization: AuthorizationStatus, purpose: String? = nil, at time: UTCTime
    ) -> AuditRecord? {
        advance(to: time)
        guard refusals < Self.refusalLimit, isFirst(.refused(principal.description, authorization)) else { return nil }
        refusals += 1
        var record = AuditRecord(.refused, of: principal, purpose: purpose, time: time)
        record.authorization = authorization
        return record
    }

    /// A program requested authorization; `authorization` of the record is the requested level, `accuracy` is full if
    /// that was requested too.
    /// - Returns: `nil` if this day has such a record already, and nothing was decided about the principal since.
    package mutating func requested(_ principal: Principal, _ request: AuthorizationRequest) -> AuditRecord? {
        advance(to: request.time)
        let wantsFullAccuracy = request.fullAccuracy == true
        guard isFirst(.requested(principal.description, request.level, fullAccuracy: wantsFullAccuracy)) else {
            return nil
        }
        var record = AuditRecord(.requested, of: principal, purpose: request.purpose, time: request.time)
        if wantsFullAccuracy { record.accuracy = .full }
        record.authorization =
            switch request.level {
            case .whenInUse: .authorizedWhenInUse
            case .always: .authorizedAlways
            }
        return record
    }

    /// - Returns: true if the day did not have the mark; it has the mark from then on.
    private mutating func isFirst(_ mark: Mark) -> Bool {
        guard !marks.contains(mark) else { return false }
        if marks.count >= Self.capacity { marks.removeAll() }
        marks.insert(mark)
        return true
    }
}

/// Events that are recorded each time.
extension AuditTrail {
    /// An administrator granted or refused; a refusal revokes an earlier grant.
    package static func decided(
        _ decision: Decision, about subject: Subject, replacing former: Decision? = nil
    ) -> AuditRecord {
        let wasGranted = former.map { $0.answer != .denied } ?? false
        let event: AuditRecord.Event =
            switch decision.answer {
            case .denied: wasGranted ? .revoked : .refused
            case .authorizedWhenInUse, .authorizedAlways: .granted
            }
        var record = AuditRecord(event, about: subject, by: decision.by, time: decision.time)
        switch decision.answer {
        case .denied: record.authorization = .denied
        case .authorizedWhenInUse: record.authorization = .authorizedWhenInUse
        case .authorizedAlways: record.authorization = .authorizedAlways
        }
        if event == .granted { record.accuracy = decision.accuracy }
        return record
    }

    /// A refusal, or a request that nobody had decided about, was reset.
    package static func reset(_ subject: Subject, by: String, at time: UTCTime) -> AuditRecord {
        AuditRecord(.reset, about: subject, by: by, time: time)
    }

    /// The term of a decision has ended.
    /// - Parameter now: what holds since.
    package static func ended(
        _ decision: Decision, about subject: Subject, since now: Verdict, at time: UTCTime
    ) -> AuditRecord {
        var record = AuditRecord(.ended, about: subject, by: decision.by, time: time)
        record.authorization = now.status
        if now.status == .authorizedAlways || now.status == .authorizedWhenInUse { record.accuracy = now.accuracy }
        return record
    }

    /// A grant ended: it was reset, or the policy changed.
    package static func revoked(
        _ subject: Subject, authorization: AuthorizationStatus? = nil, by: String, at time: UTCTime
    ) -> AuditRecord {
        var record = AuditRecord(.revoked, about: subject, by: by, time: time)
        record.authorization = authorization
        return record
    }
}

extension AuditRecord {
    /// An event of a program.
    init(_ event: Event, of principal: Principal, purpose: String?, time: UTCTime) {
        self.init(event, principal: principal.description, time: time)
        uid = Int(principal.uid)
        pid = Int(principal.pid)
        self.purpose = purpose
    }

    /// An event of an administrator.
    init(_ event: Event, about subject: Subject, by: String, time: UTCTime) {
        self.init(event, principal: subject.description, time: time)
        if case .uid(let uid) = subject { self.uid = Int(uid) }
        self.by = by
    }
}
