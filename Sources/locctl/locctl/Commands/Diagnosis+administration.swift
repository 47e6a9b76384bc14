@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The links that only administrators can see: decisions, programs behind bridges, and the sources even if the position
/// is withheld from the administrator.
extension Diagnosis {
    /// Rules that do not work, and requests that wait.
    /// - Throws: what ends the diagnosis; that the caller is no administrator does not.
    mutating func decisions(over connection: VarlinkConnection) throws(LocationError) {
        do throws(LocationError) {
            let list = try connection.call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
            for rule in list.inactive { note("policy", "has no effect on this machine: \(rule)") }
            requests(list)
        } catch {
            guard case .refused(AdminInterface.Failure.failed, let reason?) = error else { return }
            fail("decisions", reason, advice: "until then all users but root and the daemon's user are refused")
        }
    }

    /// Says how many requests for authorization wait for a decision.
    mutating func requests(_ list: AuthorizationList) {
        let waiting = list.authorizations.filter(\.pending)
        guard let first = waiting.first else { return }
        let whom = waiting.map { PrincipalText.words($0.principal) }.prefix(3).joined(separator: ", ")
        let others = waiting.count > 3 ? " and \(waiting.count - 3) more" : ""
        note(
            "requests",
            waiting.count == 1
                ? "1 waits for a decision: \(whom)" : "\(waiting.count) wait for a decision: \(whom)\(others)",
            advice: "`sudo locctl authorizations` shows for what; "
                + "`sudo locctl authorize \(first.principal)` or `sudo locctl deny \(first.principal)` decides")
    }

    /// Says which programs are served through bridges, and whom nobody has decided about.
    mutating func programs(over connection: VarlinkConnection) {
        guard let list = try? connection.call(AdminInterface.Method.listClients, as: ClientList.self),
            let decisions = try? connection.call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        else { return }
        programs(list, decisions)
    }

    mutating func programs(_ list: ClientList, _ decisions: AuthorizationList) {
        var programs: [String] = []
        for client in list.clients {
            guard let label = client.label else { continue }
            let program = "\(label) of \(PrincipalText.words(client.principal))"
            if !programs.contains(program) { programs.append(program) }
        }
        guard !programs.isEmpty else { return }
        let served = programs.joined(separator: ", ")
        let undecided = decisions.authorizations.lazy.filter { report in
            report.pending && list.clients.contains { $0.label != nil && $0.principal == report.principal }
        }.map { "`sudo locctl authorize \($0.principal)`" }
        guard !undecided.isEmpty else { return add("programs", served) }
        note("programs", served, advice: "nobody has decided yet: " + undecided.joined(separator: ", "))
    }

    /// What the daemon counts; `nil` for who is no administrator.
    static func statistics(over connection: VarlinkConnection) -> Statistics? {
        try? connection.call(AdminInterface.Method.getStatistics, as: StatisticsReply.self).statistics
    }

    /// Says that the sources are off because the battery is low.
    mutating func battery(_ statistics: Statistics) {
        guard let battery = statistics.battery, battery.low else { return }
        let level = battery.level.map { "at \(Text.number($0, 0)) %, " } ?? ""
        fail(
            "battery", "\(level)below the \(battery.minimum) % of power.minimum-battery: the sources are off",
            advice: "charge it, or set power.minimum-battery to less in locationd.toml")
    }

    /// Judges the sources by what the daemon counts, for an administrator who may not request locations.
    mutating func sources(_ statistics: Statistics) {
        if statistics.sources.isEmpty { note("source", "none is configured; see locationd.toml") }
        for source in statistics.sources {
            let receivers = statistics.receivers.filter { $0.source == source.name }
            if !source.enabled {
                note("source", "\(source.name) is switched off", advice: Self.switchingOn(source.name))
            } else if receivers.contains(where: \.hasFix) {
                add("source", "\(source.name) delivers")
            } else if let reason = source.reason {
                fail("source", Self.finding(source.name, reason), advice: ReceiverDevices.advice(for: reason))
            } else if source.running {
                note("source", "\(source.name) runs and has no fix", advice: Self.clearView)
            } else {
                note("source", "\(source.name) is not needed at present, so that its state is unknown")
            }
        }
    }

    /// What is to be said of a source, which the reason may name itself.
    static func finding(_ source: String, _ reason: String) -> String {
        reason.hasPrefix("\(source) ") ? reason : "\(source): \(reason)"
    }

    private static func switchingOn(_ source: String) -> String { "`sudo locctl source \(source) on` switches it on" }
}
