import LocationInterface
import LocationModel
import SystemSupport

/// What comes from the daemon.
extension DaemonLink {
    /// A watch's reply.
    ///
    /// - Parameters:
    ///   - continues: false for the last one.
    ///   - jitter: 0..<1, drawn by the caller.
    mutating func receive(
        _ reply: WatchReply, continues: Bool, on kind: WatchKind, at now: BootInstant, jitter: Double
    ) -> [Action] {
        guard let isAnswered = watches[kind]?.isOpen else { return [] }
        if !isAnswered { backoff.succeed() }
        watches[kind]?.take(reply)
        var actions: [Action] = []
        for index in clients.indices where kinds(of: clients[index]).contains(kind) {
            if let status = reply.status, primary(of: clients[index]) == kind { actions += clients[index].take(status) }
            if !isAnswered, !clients[index].isConnected { actions += greet(index, at: now) }
            switch kind {
            case .locations: actions += clients[index].take(reply.location?.value, dropped: reply.dropped)
            case .headings: actions += reply.heading.map { clients[index].take($0.value) } ?? []
            case .status: break
            }
        }
        if !continues { actions += [.close(kind)] + ended(kind, .disconnected, at: now, jitter: jitter) }
        return actions
    }

    /// A watch has ended, or could not be opened.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    mutating func ended(
        _ kind: WatchKind, _ error: LocationError, at now: BootInstant, jitter: Double
    ) -> [Action] {
        guard let watch = watches.removeValue(forKey: kind) else { return [] }
        lastError = error
        let first = now.advanced(bySeconds: watch.isOpen ? Self.absence + Backoff.first * jitter : Backoff.first)
        let earliest = max(earliestRetry ?? first, first)
        earliestRetry = earliest
        if retry.map({ $0 <= now }) ?? true {
            round += 1
            retry = now.advanced(bySeconds: backoff.fail(jitter: jitter))
        }
        retry = retry.map { max($0, earliest) }
        return clients.indices.flatMap { index in
            kinds(of: clients[index]).contains(kind) ? clients[index].lost(error, in: round) : []
        }
    }
}
