import LocationInterface
import LocationModel
import SystemSupport

/// What comes from the daemon.
extension MonitorLink {
    /// What is kept under the name; ``settle(at:jitter:)`` is due then.
    mutating func listed(_ kept: NamedMonitor?) -> [Action] {
        guard case .listing = phase else { return [] }
        phase = .listed(kept?.subjects)
        return wish?.subjects == nil ? [.tell(.kept(kept))] : []
    }

    /// The regions are changed; ``settle(at:jitter:)`` is due then.
    mutating func changed() -> [Action] {
        guard let regions = change?.regions else {
            unsettled = nil
            return []
        }
        change = nil
        let former = asked
        asked.setRegions(regions)
        return removal(since: former)
    }

    /// Tells what the daemon tells of no more.
    func removal(since former: MonitorSubjects) -> [Action] {
        let gone = Set(former.regions.map(\.identifier)).subtracting(asked.regions.map(\.identifier))
        return gone.isEmpty ? [] : [.tell(.removed(gone))]
    }

    /// The regions could not be changed.
    mutating func changeFailed(_ error: LocationError, at now: BootInstant, jitter: Double) -> [Action] {
        guard change != nil else { return settled(by: error, at: now) }
        if !error.isNoAnswer { change = nil }
        switch error {
        case .tooManyRegions, .invalidParameter, .refused:
            refused = wish?.subjects?.regions
            return [.tell(.refused(error))]
        default: return ended(error, at: now, jitter: jitter)
        }
    }

    /// A reply over the connection.
    ///
    /// - Parameter continues: false for the last one.
    mutating func receive(
        _ reply: MonitorReply, continues: Bool, at now: BootInstant, jitter: Double
    ) -> [Action] {
        var actions: [Action] = []
        if case .opening = phase {
            phase = .open
            replaced = nil
            backoff.succeed()
        }
        guard phase == .open else {
            replaced = now
            return settled(at: now, [.close])
        }
        if !isConnected { actions.append(.tell(.connected)) }
        isConnected = true
        if let status = reply.status, !(self.status?.saysTheSame(as: status) ?? false) {
            // Who is authorized now may have more.
            if self.status?.authorization != status.authorization { refused = nil }
            self.status = status
            actions.append(.tell(.status(status)))
        }
        if let region = reply.region { actions.append(.tell(.region(RegionReport(region, at: now)))) }
        if let location = reply.location { actions.append(.tell(.significantChange(location.value.arrived(by: now)))) }
        if let visit = reply.visit { actions.append(.tell(.visit(visit))) }
        return continues ? actions : actions + ended(.disconnected, at: now, jitter: jitter)
    }

    /// The connection has ended, or could not be opened, or what is kept could not be asked.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    mutating func ended(_ error: LocationError, at now: BootInstant, jitter: Double) -> [Action] {
        guard phase != .closed else { return settled(by: error, at: now, [.close]) }
        let wasOpen = phase == .open
        // The daemon may not have seen yet that our former connection is closed.
        let isFarewell = replaced.map { now.seconds(since: $0) < Self.farewell } ?? false
        let actions: [Action] = if case .listing = phase { [.abandon] } else { [.close] }
        leaveChange(at: now)
        if error.isNoAnswer, case .opening = phase { unsettled = now.advanced(bySeconds: Self.farewell) }
        phase = error.isOfMany ? unopened : .closed
        if isFarewell, case .monitorInUse = error {
            retry = now.advanced(bySeconds: Self.pause)
            return actions
        }
        let wait = wasOpen ? Self.absence + Backoff.first * jitter : backoff.fail(jitter: jitter)
        (retry, replaced) = (now.advanced(bySeconds: wait), nil)
        (isConnected, status) = (false, nil)
        return actions + [.tell(.disconnected(error))]
    }

    /// From where only the opening is tried again: the daemon counts a list as many calls, and would refuse the opening
    /// after each further one for the same reason. Where another program has the name, what is kept may change, and is
    /// listed again.
    private var unopened: Phase {
        guard wish?.name != nil, case .opening(let kept, _) = phase else { return .closed }
        return .listed(kept)
    }
}

extension LocationError {
    fileprivate var isOfMany: Bool {
        if case .tooManyRequests = self { true } else { false }
    }

    /// True of words that do not say whether the daemon has done what it was told, or will.
    var isNoAnswer: Bool {
        if case .protocolViolation = self { true } else { false }
    }
}
