import Authorization
import LocationHub
import LocationInterface
import LocationModel

/// What goes into the history: who asked, who was allowed or not, and who was told.
extension LocationService {
    /// Policy or decisions changed what connected clients may know; one record for each principal.
    func noteChanges(of clients: [Client], by cause: String) {
        var seen: Set<Subject> = []
        for client in clients where seen.insert(client.principal.subject).inserted {
            let event: HistoryRecord.Event = client.permission.mayReceive ? .granted : .revoked
            var record = HistoryRecord(event, about: client.principal.subject, by: cause, time: utc)
            record.authorization = client.permission.authorization
            record.accuracy = client.permission.accuracy
            hooks.note(record)
        }
    }

    func noteRequest(_ request: AuthorizationRequest, of client: Client) {
        if let record = trail.requested(client.principal, request) { hooks.note(record) }
    }

    /// An administrator forgot what was decided.
    func noteReset(of entry: DecisionEntry, about subject: Subject, by administrator: String) {
        guard let decision = entry.decision else { return }
        let time = utc
        hooks.note(
            decision.answer == .denied
                ? AuditTrail.reset(subject, by: administrator, at: time)
                : AuditTrail.revoked(subject, authorization: .notDetermined, by: administrator, at: time))
    }

    /// A program was answered no, or its watch gets nothing.
    func noteRefusal(of client: Client) {
        counters.authorizationRefusals[client.permission.authorization, default: 0] += 1
        let record = trail.refused(
            client.principal, authorization: client.permission.authorization, purpose: client.purpose,
            at: utc)
        if let record { hooks.note(record) }
    }

    /// A location is on its way to the client.
    func noteDelivery(to client: Client) {
        trail.advance(to: utc)
        noteDeliveryToday(to: client)
    }

    /// The same where many are told at once: what is known already costs a comparison.
    func noteDeliveryToday(to client: Client) {
        guard client.auditedDay != trail.day else { return }
        client.auditedDay = trail.day
        let record = trail.delivered(
            client.principal, accuracy: client.permission.accuracy, authorization: client.permission.authorization,
            purpose: client.purpose, at: utc)
        if let record { hooks.note(record) }
    }
}
