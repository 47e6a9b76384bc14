import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// What the audit reports to the decisions.
protocol AuditRecorderOwner: AnyObject {
    /// A principal receives its first location of a day, by this client.
    func firstLocationOfDayDelivered(to client: ServerClient)
}

/// Records in the audit who requested authorization, who was granted or refused it, and who received locations.
///
/// Ownership: everything here belongs to the event loop.
final class AuditRecorder {
    private var trail: AuditTrail
    private let state: any StatePersistence
    private let clock: ServiceClock
    /// Calls refused for lack of permission, by authorization status.
    private(set) var refusals: [AuthorizationStatus: Int] = [:]
    /// Set by ``ServerDispatcher``, because the decisions are made after this.
    weak var owner: (any AuditRecorderOwner)?

    /// - Parameter audit: the records of the present day and of the day before.
    init(_ context: ServerContext, resuming audit: [AuditRecord]) {
        state = context.environment.state
        clock = context.clock
        trail = AuditTrail(at: clock.utc())
        trail.resume(audit)
    }

    // MARK: Deliveries

    /// Updates the present day; on a new day each principal's first location is recorded anew.
    /// - Returns: true if a new day has begun.
    func advanceDay() -> Bool {
        let before = trail.day
        trail.advance(to: clock.utc())
        return trail.day != before
    }

    /// Records that locations are being sent to the client.
    func recordDelivery(to client: ServerClient, count: Int = 1) {
        trail.advance(to: clock.utc())
        recordDeliveryOfToday(to: client, at: clock.now().wholeSeconds, count: count)
    }

    /// The same for a location that many receive at once, after ``advanceDay()``: if it is recorded already, this costs
    /// two additions and one comparison.
    /// - Parameter second: the present time.
    func recordDeliveryOfToday(to client: ServerClient, at second: Int, count: Int = 1) {
        client.unlisted.add(count, at: second)
        guard client.auditedDay != trail.day else { return }
        client.auditedDay = trail.day
        let record = trail.delivered(
            client.principal, accuracy: client.permission.accuracy, authorization: client.permission.authorization,
            purpose: client.call.purpose, at: clock.utc())
        guard let record else { return }
        state.record(record)
        owner?.firstLocationOfDayDelivered(to: client)
    }

    /// Whether the client's next location needs no record.
    func isDeliveryRecorded(of client: ServerClient) -> Bool { client.auditedDay == trail.day }

    // MARK: Authorization

    func recordRequest(_ request: AuthorizationRequest, of client: ServerClient) {
        if let record = trail.requested(client.principal, request) { state.record(record) }
    }

    /// Records that a program's call was refused, or that its watch receives nothing.
    func recordRefusal(of client: ServerClient) {
        refusals[client.permission.authorization, default: 0] += 1
        let record = trail.refused(
            client.principal, authorization: client.permission.authorization, purpose: client.call.purpose,
            at: clock.utc())
        if let record { state.record(record) }
    }

    /// Records connected clients' changes of permission by policy or decisions; one record for each principal.
    func recordChanges(of clients: [ServerClient], by cause: String) {
        var seen: Set<Subject> = []
        for client in clients where seen.insert(client.principal.subject).inserted {
            trail.settleRequests(of: client.principal.subject)
            let event: AuditRecord.Event = client.permission.mayReceive ? .granted : .revoked
            var record = AuditRecord(event, about: client.principal.subject, by: cause, time: clock.utc())
            record.authorization = client.permission.authorization
            record.accuracy = client.permission.accuracy
            state.record(record)
        }
    }

    /// - Parameters:
    ///   - duration: seconds; `nil` for ever.
    ///   - process: the pid of the one process that it is about.
    func recordDecision(
        _ decision: Decision, about subject: Subject, replacing before: Decision?, during duration: Double?,
        process: Int32? = nil
    ) {
        trail.settleRequests(of: subject)
        var record = AuditTrail.decided(decision, about: subject, replacing: before)
        record.duration = duration
        record.process = process.map { Int($0) }
        state.record(record)
    }

    /// Records that a decision with a term, or about one process, has ended, and what holds since.
    func recordEnd(of decision: Decision, about subject: Subject, since now: Verdict, process: Int32? = nil) {
        trail.settleRequests(of: subject)
        var record = AuditTrail.ended(decision, about: subject, since: now, at: clock.utc())
        record.process = process.map { Int($0) }
        state.record(record)
    }

    /// Records that an administrator reset a decision, or a request that waited for one.
    func recordReset(of entry: DecisionEntry, about subject: Subject, by administrator: String) {
        trail.settleRequests(of: subject)
        let time = clock.utc()
        let wasGranted = entry.effective.map { $0.answer != .denied } ?? false
        state.record(
            wasGranted
                ? AuditTrail.revoked(subject, authorization: .notDetermined, by: administrator, at: time)
                : AuditTrail.reset(subject, by: administrator, at: time))
    }
}
