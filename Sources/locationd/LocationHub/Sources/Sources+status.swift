@_spi(Programs) import LocationModel

/// What is said of the sources, in states and words.
extension Sources {
    /// The name of the receiver's source, or of the injector.
    func name(of receiver: Receiver) -> String? {
        names.indices.contains(receiver.key.rank) ? names[receiver.key.rank] : receiver.lastFix?.source.name
    }

    /// The sources of locations by rank, with the reason why each serves or not.
    func ranking(hold: SourceHold?, at now: BootInstant, settings: HubSettings) -> [RankedSource] {
        (0..<locatingCount).map { rank in
            let own = receivers.all.filter { $0.key.rank == rank }
            let state = state(of: rank, own, at: now, settings: settings)
            var source = RankedSource(name: names[rank], state: state)
            source.fixAge = own.compactMap { $0.lastFix?.age(at: now) }.min()
            if state != .tracking {
                source.reason =
                    conditions[rank]?.reason ?? doubtReason(of: own.first { $0.heldBack != nil }, settings.plausibility)
            } else if receivers.isPassedOverForAccuracy(rank) {
                source.reason = "it is less accurate than a program desires"
            }
            if switches.isOff(rank) {
                source.reason = Self.offReason([names[rank]])
            } else if switches.isSpared(rank) {
                source.reason = "it is not needed: a source that costs less power is accurate enough"
            } else if state == .stopped, isNeeded {
                source.reason = hold?.status.reason
            }
            if state == .lost, source.reason == nil {
                source.reason = lossReason(of: own.first { $0.isSameRun }, settings.plausibility)
            }
            return source
        }
    }

    /// The state of a compass, with the reason why it gives no headings.
    func compass(of rank: Int, at now: BootInstant, settings: HubSettings) -> RankedSource {
        let state: SourceState
        switch conditions[rank] {
        case nil: state = compasses.isRunning ? .starting : .stopped
        case .connecting: state = .starting
        case .unavailable: state = .unavailable
        case .connected:
            let isFollowed = compasses.isFollowed(rank, at: now, staleAfter: settings.staleAfter)
            state = isFollowed ? .tracking : .searching
        }
        var source = RankedSource(name: names[rank], state: state)
        source.reason = conditions[rank]?.reason ?? compasses.failures[rank]
        return source
    }

    private func state(of rank: Int, _ own: [Receiver], at now: BootInstant, settings: HubSettings) -> SourceState {
        if own.contains(where: { $0.isLive(at: now, staleAfter: settings.staleAfter) }) { return .tracking }
        let hadFix = own.contains { $0.isSameRun }
        switch conditions[rank] {
        case nil where rank >= running || switches.isOff(rank) || switches.isSpared(rank): return .stopped
        case nil, .connecting: return hadFix ? .lost : .starting
        case .connected: return hadFix ? .lost : .searching
        case .unavailable: return .unavailable
        }
    }

    /// Why a receiver's fixes are not believed, in words; `nil` if they are.
    func doubtReason(of receiver: Receiver?, _ settings: PlausibilitySettings) -> String? {
        guard let receiver, let heldBack = receiver.heldBack else { return nil }
        guard !heldBack.isOutOfReach else {
            return
                "\(heldBack.fix.source.name) reports a place that the machine cannot have reached since its last fix by "
                + "satellites, which counts"
        }
        let name = receiver.key.device ?? "the receiver"
        switch heldBack.reason {
        case .nullIsland:
            return "\(name) reports latitude 0, longitude 0, which is not believed while it does not move; "
                + "a clear view of the sky helps"
        case .jump:
            return "\(name) reports a place that it cannot have reached; it is believed after "
                + "\(settings.confirmations) fixes that agree"
        case .timeRunsBack:
            return "\(name) reports a time before that of its last fix; it is believed after "
                + "\(settings.confirmations) fixes that agree"
        case .unknown: return "\(name) reports fixes that are not believed"
        }
    }

    func lossReason(of receiver: Receiver?, _ settings: PlausibilitySettings) -> String {
        guard let receiver else { return "the receiver has no fix" }
        if let doubt = doubtReason(of: receiver, settings) { return doubt }
        let source = names.indices.contains(receiver.key.rank) ? names[receiver.key.rank] : "the source"
        // A source that names no receiver has neither a sky nor a cable.
        guard let name = receiver.key.device else {
            return "\(source) has \(receiver.hasReportedNoFix ? "no position any more" : "stopped sending positions")"
        }
        if receiver.hasReportedNoFix { return "\(name) has lost its fix; a clear view of the sky helps" }
        guard receiver.wasDisconnected else { return "\(name) has stopped sending fixes; check its power and cable" }
        return "the connection with \(source) was interrupted, and \(name) has sent no fix since"
    }

    /// Why no location can come, as long as none of the sources of locations serves: by what they say of themselves.
    func statusWithoutFix(_ settings: PlausibilitySettings) -> SourceStatus {
        let conditions = conditions[..<locatingCount].compactMap { $0 }
        for case .connected(let reason) in conditions {
            let doubt = doubtReason(of: receivers.all.first { $0.heldBack != nil }, settings)
            guard run.hadFix else { return SourceStatus(state: .searching, reason: reason ?? doubt) }
            return SourceStatus(state: .lost, reason: reason ?? lossReason(of: receivers.followedReceiver, settings))
        }
        for case .connecting(let reason) in conditions {
            return SourceStatus(state: run.hadFix ? .lost : .starting, reason: reason)
        }
        for case .unavailable(let reason) in conditions { return SourceStatus(state: .unavailable, reason: reason) }
        if locatingCount == 0 {
            let missing = names.isEmpty ? "source" : "source of locations"
            return SourceStatus(state: .unavailable, reason: "no \(missing) is configured; see locationd.toml")
        }
        guard run.hadFix else { return SourceStatus(state: .starting) }
        return SourceStatus(state: .lost, reason: lossReason(of: receivers.followedReceiver, settings))
    }

    static func offReason(_ names: [String]) -> String {
        let (subject, name) = names.count == 1 ? (names[0], names[0]) : ("every source", "NAME")
        return "\(subject) is switched off by an administrator; `sudo locctl source \(name) on` switches it on"
    }
}
