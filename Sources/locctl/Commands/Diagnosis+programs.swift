import AdministrationInterface
import LocationInterface
import LocationKit

/// The programs that are served through bridges, which only administrators can list.
extension Diagnosis {
    /// Says who is served, and whom nobody has decided about.
    mutating func programs(over connection: VarlinkConnection) {
        guard let list = try? connection.call(AdminInterface.Method.listClients, as: ClientList.self),
            let decisions = try? connection.call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        else { return }
        var programs: [String] = []
        for client in list.clients {
            guard let label = client.label else { continue }
            let program = "\(label) of \(PrincipalText.words(client.principal))"
            if !programs.contains(program) { programs.append(program) }
        }
        guard !programs.isEmpty else { return }
        let undecided = decisions.authorizations.lazy.filter { report in
            report.pending && list.clients.contains { $0.label != nil && $0.principal == report.principal }
        }.map { "`sudo locctl authorize \($0.principal)`" }
        add(
            "programs", programs.joined(separator: ", "),
            advice: undecided.isEmpty ? nil : "nobody has decided yet: " + undecided.joined(separator: ", "))
    }
}
