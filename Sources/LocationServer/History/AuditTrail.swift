package import Authorization
package import LocationInterface
package import LocationModel

/// Decides which happenings become records of the history. Pure; it belongs to the event loop.
///
/// What programs do over and over is recorded once a day (UTC): the first delivery to a principal at each accuracy, the
/// first refusal of it under each authorization status, and its first request for each level. What administrators decide
/// is recorded always.
///
/// The server asks with each fix for thousands of clients, so it keeps a mark with each client and compares numbers:
///
///     trail.advance(to: MachineClock.utc)                      // once per fix
///     if client.auditedDay != trail.day {                      // per client
///         client.auditedDay = trail.day
///         if let record = trail.delivered(client.principal, accuracy: …) { state.record(record) }
///     }
///
/// and sets `client.auditedDay` to `nil` when what the client may know changes.
///
/// Who may know nothing can still be many: a user with a range of further ones is thousands of principals. So no more
/// than ``strangers`` of them are recorded in a day; those beyond are counted in the metrics alone. What they would write
/// would push out of the history, and out of the journal, what matters.
///
/// Only the marks of the present day are kept, at most ``capacity`` of them; beyond that, and when a clock goes to
/// another day and back, all are forgotten. A second record of a day is better than memory that strangers can fill.
package struct AuditTrail: Sendable {
    package static let capacity = 4096
    package static let strangers = 512

    private enum Mark: Hashable {
        case delivered(String, AccuracyAuthorization)
        case refused(String, AuthorizationStatus)
        case requested(String, AuthorizationRequest.Level)
    }

    /// The present day, counted from 1970-01-01 in UTC.
    package private(set) var day: Int
    private var marks: Set<Mark> = []
    /// How many refusals are recorded of the day.
    private var refusals = 0

    package init(at time: UTCTime) {
        day = Self.day(of: time)
    }

    /// Days from 1970-01-01 to the day of that moment in UTC.
    package static func day(of time: UTCTime) -> Int {
        let (quotient, remainder) = time.seconds.quotientAndRemainder(dividingBy: 86_400)
        return Int(remainder < 0 ? quotient - 1 : quotient)
    }

    /// Turns to the day of that moment; another day begins without marks.
    package mutating func advance(to time: UTCTime) {
        let day = Self.day(of: time)
        guard day != self.day else { return }
        self.day = day
        marks.removeAll()
        refusals = 0
    }

    /// Takes over what earlier runs have recorded of the present day, so that a restart does not repeat it.
    package mutating func resume(_ records: [HistoryRecord]) {
        for record in records where Self.day(of: record.time) == day {
            switch record.event {
            case .delivered:
                if let accuracy = record.accuracy { _ = isFirst(.delivered(record.principal, accuracy)) }
            case .refused:
                // One with a process was the answer to a program; the others are people's decisions.
                guard record.pid != nil, let status = record.authorization else { continue }
                if isFirst(.refused(record.principal, status)) { refusals += 1 }
            case .requested:
                guard let status = record.authorization else { continue }
                _ = isFirst(.requested(record.principal, status == .authorizedAlways ? .always : .whenInUse))
            case .granted, .revoked, .reset, .unknown: break
            }
        }
    }

    /// A location was given to a client.
    /// - Returns: `nil` if this day has a record of it.
    package mutating func delivered(
        _ principal: Principal, accuracy: AccuracyAuthorization, authorization: AuthorizationStatus? = nil,
        purpose: String? = nil, at time: UTCTime
    ) -> HistoryRecord? {
        advance(to: time)
        guard isFirst(.delivered(principal.description, accuracy)) else { return nil }
        var record = HistoryRecord(.delivered, of: principal, purpose: purpose, time: time)
        record.accuracy = accuracy
        record.authorization = authorization
        return record
    }

    /// A program was answered no, or its watch gets nothing.
    /// - Parameter authorization: under which status.
    /// - Returns: `nil` if this day has a record of it, or of too many others.
    package mutating func refused(
        _ principal: Principal, authorization: AuthorizationStatus, purpose: String? = nil, at time: UTCTime
    ) -> HistoryRecord? {
        advance(to: time)
        guard refusals < Self.strangers, isFirst(.refused(principal.description, authorization)) else { return nil }
        refusals += 1
        var record = HistoryRecord(.refused, of: principal, purpose: purpose, time: time)
        record.authorization = authorization
        return record
    }

    /// A program asked to know; `authorization` of the record is what it asked for.
    /// - Returns: `nil` if this day has a record of it.
    package mutating func requested(_ principal: Principal, _ request: AuthorizationRequest) -> HistoryRecord? {
        advance(to: request.time)
        guard isFirst(.requested(principal.description, request.level)) else { return nil }
        var record = HistoryRecord(.requested, of: principal, purpose: request.purpose, time: request.time)
        record.authorization =
            switch request.level {
            case .whenInUse: .authorizedWhenInUse
            case .always: .authorizedAlways
            }
        return record
    }

    /// - Returns: true for what this day has no mark of, which it has from then on.
    private mutating func isFirst(_ mark: Mark) -> Bool {
        guard !marks.contains(mark) else { return false }
        if marks.count >= Self.capacity { marks.removeAll() }
        marks.insert(mark)
        return true
    }
}

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
