import Authorization
import LocationHub
import LocationInterface
import LocationModel
import Machine

/// What goes into the history: who asked, who was allowed or not, and who was told.
extension LocationService {
    /// Policy or decisions changed what connected clients may know; one record for each principal.
    func noteChanges(of clients: [Client], by cause: String) {
        var seen: Set<Subject> = []
        for client in clients where seen.insert(client.principal.subject).inserted {
            let event: HistoryRecord.Event = client.permission.mayReceive ? .granted : .revoked
            var record = HistoryRecord(event, about: client.principal.subject, by: cause, time: MachineClock.utc)
            record.authorization = client.permission.authorization
            record.accuracy = client.permission.accuracy
            hooks.note(record)
        }
    }

    /// A program was answered no, or its watch gets nothing.
    func noteRefusal(of client: Client) {
        let record = trail.refused(
            client.principal, authorization: client.permission.authorization, purpose: client.purpose,
            at: MachineClock.utc)
        if let record { hooks.note(record) }
    }

    /// A location is on its way to the client. Called for each, so what is known already costs a comparison.
    func noteDelivery(to client: Client) {
        guard client.auditedDay != trail.day else { return }
        client.auditedDay = trail.day
        let record = trail.delivered(
            client.principal, accuracy: client.permission.accuracy, authorization: client.permission.authorization,
            purpose: client.purpose, at: MachineClock.utc)
        if let record { hooks.note(record) }
    }
}
