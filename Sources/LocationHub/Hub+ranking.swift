import LocationModel

extension Hub {
    /// What the source of a rank is called, or who injects.
    func name(of receiver: Receiver) -> String? {
        names.indices.contains(receiver.key.rank) ? names[receiver.key.rank] : receiver.lastFix?.source.name
    }

    /// The sources by rank, for those who ask why one serves and not another.
    func ranking(at now: BootInstant) -> [RankedSource] {
        names.indices.map { rank in
            let own = receivers.all.filter { $0.key.rank == rank }
            let state = state(of: rank, own, at: now)
            var source = RankedSource(name: names[rank], state: state)
            source.fixAge = own.compactMap { $0.lastFix?.age(at: now) }.min()
            if state != .tracking { source.reason = sources[rank]?.reason }
            if state == .lost, source.reason == nil { source.reason = lossReason(of: own.first { $0.isSameRun }) }
            return source
        }
    }

    private func state(of rank: Int, _ own: [Receiver], at now: BootInstant) -> SourceState {
        if own.contains(where: { $0.isLive(at: now, staleAfter: settings.staleAfter) }) { return .tracking }
        let hadFix = own.contains { $0.isSameRun }
        switch sources[rank] {
        case nil where rank >= running: return .stopped
        case nil, .connecting: return hadFix ? .lost : .starting
        case .connected: return hadFix ? .lost : .searching
        case .unavailable: return .unavailable
        }
    }

    func lossReason(of receiver: Receiver?) -> String {
        guard let receiver else { return "the receiver has no fix" }
        return
            "\(receiver.key.device ?? "the receiver") has lost its fix or fallen silent; a clear view of the sky helps"
    }
}
