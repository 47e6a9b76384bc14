import AdministrationInterface
import Authorization
import LocationHub
import LocationInterface
import LocationModel
import SystemClock

/// Records in the history who requested authorization, who was granted or refused it, and who received locations.
///
/// Ownership: everything here belongs to the event loop.
final class HistoryRecorder {
    private var trail: AuditTrail
    private let state: any StatePersistence
    private let clock: ServiceClock
    /// Calls refused for lack of permission, by authorization status.
    private(set) var refusals: [AuthorizationStatus: Int] = [:]

    init(state: any StatePersistence, clock: ServiceClock) {
        self.state = state
        self.clock = clock
        trail = AuditTrail(at: clock.utc())
        trail.resume(state.todaysHistory())
    }

    // MARK: Deliveries

    /// Updates the present day; on a new day each principal's first location is recorded anew.
    /// - Returns: true if a new day has begun.
    func advanceDay() -> Bool {
        let before = trail.day
        trail.advance(to: clock.utc())
        return trail.day != before
    }

    /// Records that a location is being sent to the client.
    func recordDelivery(to client: ServerClient) {
        trail.advance(to: clock.utc())
        recordDeliveryOfToday(to: client)
    }

    /// The same for a location that many receive at once, after ``advanceDay()``: if it is recorded already, this costs
    /// one comparison.
    func recordDeliveryOfToday(to client: ServerClient) {
        guard client.auditedDay != trail.day else { return }
        client.auditedDay = trail.day
        let record = trail.delivered(
            client.principal, accuracy: client.permission.accuracy, authorization: client.permission.authorization,
            purpose: client.purpose, at: clock.utc())
        if let record { state.record(record) }
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
            client.principal, authorization: client.permission.authorization, purpose: client.purpose,
            at: clock.utc())
        if let record { state.record(record) }
    }

    /// Records connected clients' changes of permission by policy or decisions; one record for each principal.
    func recordChanges(of clients: [ServerClient], by cause: String) {
        var seen: Set<Subject> = []
        for client in clients where seen.insert(client.principal.subject).inserted {
            let event: HistoryRecord.Event = client.permission.mayReceive ? .granted : .revoked
            var record = HistoryRecord(event, about: client.principal.subject, by: cause, time: clock.utc())
            record.authorization = client.permission.authorization
            record.accuracy = client.permission.accuracy
            state.record(record)
        }
    }

    /// - Parameter duration: seconds; `nil` for ever.
    func recordDecision(
        _ decision: Decision, about subject: Subject, replacing before: Decision?, during duration: Double?
    ) {
        var record = AuditTrail.decided(decision, about: subject, replacing: before)
        record.duration = duration
        state.record(record)
    }

    /// Records that a decision with a term has ended, and what holds since.
    func recordEnd(of decision: Decision, about subject: Subject, since now: Verdict) {
        state.record(AuditTrail.ended(decision, about: subject, since: now, at: clock.utc()))
    }

    /// Records that an administrator reset a decision.
    func recordReset(of entry: DecisionEntry, about subject: Subject, by administrator: String) {
        guard let decision = entry.effective else { return }
        let time = clock.utc()
        state.record(
            decision.answer == .denied
                ? AuditTrail.reset(subject, by: administrator, at: time)
                : AuditTrail.revoked(subject, authorization: .notDetermined, by: administrator, at: time))
    }
}
