@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession

/// The state machine of one monitor's connection to the daemon. It does no I/O: each input carries the current time and
/// returns the actions to perform.
///
/// One connection delivers all events. For a named monitor, the persisted state is listed before the connection is
/// opened, so that only the difference has to be sent. An unnamed monitor is changed by opening another connection in
/// place of the present one.
///
/// The daemon reads its connections in no particular order. A call that changes persisted state is therefore always
/// awaited before the next one is sent, even if its result is no longer needed; otherwise the daemon might read it
/// later and undo the newer change. Garbage does not count as an answer.
struct MonitorConnector {
    enum Action: Hashable, Sendable {
        case list
        case open(MonitorRequest)
        case change(ChangeRegionsParameters)
        case close
        /// Stop waiting for the answer to `list` or `change`.
        case abandon
        case deliver(MonitorTransportEvent)
    }

    enum Phase: Hashable, Sendable {
        case closed
        case listing(due: BootInstant)
        /// Listed; waiting for an interest that says what to monitor.
        case listed(MonitorSubjects?)
        /// The listed subjects are kept for another attempt.
        case opening(MonitorSubjects?, due: BootInstant)
        case open
    }

    /// `closingGrace`: seconds for which the daemon may still consider a closed connection open, or may not have read
    /// the last call. `retryPause`: seconds between two attempts during that time.
    static let (closingGrace, retryPause) = (2.0, 0.05)

    let path: String
    var interest: MonitorRequest?
    var phase = Phase.closed
    /// The subjects that the daemon monitors, or that are being sent to it.
    var requested = MonitorSubjects()
    /// The regions after the pending change, and the deadline for the daemon's answer.
    var change: (regions: [Region], due: BootInstant)?
    /// The regions that the daemon refused to monitor.
    var refused: [Region]?
    var status: ServiceStatus?
    var isConnected = false
    var pause = SessionPause()
    /// When the next attempt to list or to open is due; `nil` for immediately.
    var retry: BootInstant?
    /// When a connection was closed in order to be replaced by the next one.
    var replacedAt: BootInstant?
    /// The deadline for the answer to an open or a change that is no longer of interest.
    var unconfirmedUntil: BootInstant?

    init(path: String) {
        self.path = path
    }

    /// When ``nextActions(at:jitter:)`` has to be called if the interest does not change before.
    var deadline: BootInstant? {
        if let unconfirmedUntil { return unconfirmedUntil }
        guard interest != nil else { return nil }
        return switch phase {
        case .closed, .listed: retry
        case .listing(let due), .opening(_, let due): due
        case .open: change?.due
        }
    }

    /// The actions that follow from the interest and the time.
    ///
    /// - Parameter jitter: 0..<1, a random number of the caller's.
    mutating func nextActions(at now: BootInstant, jitter: Double) -> [Action] {
        if let unconfirmedUntil, unconfirmedUntil <= now {
            return confirmed(at: now, [.abandon, .close]) + nextActions(at: now, jitter: jitter)
        }
        guard let interest else { return stop(at: now) }
        if unconfirmedUntil != nil { return [] }
        if let retry {
            guard retry <= now else { return [] }
            self.retry = nil
        } else if let deadline, deadline <= now {
            return connectionEnded(.silent(at: path), at: now, jitter: jitter)
        }
        switch phase {
        case .closed:
            guard interest.name == nil else {
                phase = .listing(due: now.advanced(bySeconds: SessionPause.patience))
                return [.list]
            }
            return open(interest, persisted: nil, at: now)
        case .listing: return []
        case .listed(let persisted): return open(interest, persisted: persisted, at: now)
        case .opening, .open: return applyInterest(interest, at: now)
        }
    }

    private mutating func open(_ interest: MonitorRequest, persisted: MonitorSubjects?, at now: BootInstant) -> [Action]
    {
        guard let subjects = interest.subjects else { return [] }
        var request = MonitorRequest(name: interest.name, purpose: interest.purpose)
        if let persisted, persisted.significantChange == subjects.significantChange, persisted.visits == subjects.visits
        {
            requested = persisted
        } else {
            requested = subjects
            if interest.name != nil { requested.setRegions(MonitorRequestSize.fitting(subjects.regions)) }
            request.subjects = requested
        }
        refused = nil
        phase = .opening(persisted, due: now.advanced(bySeconds: SessionPause.patience))
        return [.open(request)]
    }

    /// Changes what the daemon monitors to match the interest.
    private mutating func applyInterest(_ interest: MonitorRequest, at now: BootInstant) -> [Action] {
        guard let subjects = interest.subjects, subjects != requested else { return [] }
        if interest.name != nil, phase != .open || change != nil { return [] }
        guard let name = interest.name, subjects.significantChange == requested.significantChange,
            subjects.visits == requested.visits
        else {
            let former = requested
            replacedAt = now
            let actions = [.close] + open(interest, persisted: nil, at: now)
            return removalEvents(since: former) + actions
        }
        guard subjects.regions != refused else { return [] }
        guard let next = RegionsChange(from: requested.regions, to: subjects.regions) else {
            requested = subjects
            return []
        }
        change = (next.result, now.advanced(bySeconds: SessionPause.patience))
        return [.change(ChangeRegionsParameters(name: name, add: next.added, remove: next.removed))]
    }

    private mutating func stop(at now: BootInstant) -> [Action] {
        defer { (phase, retry, isConnected, status) = (.closed, nil, false, nil) }
        switch phase {
        case .closed, .listed: return []
        case .listing: return [.abandon]
        case .opening:
            unconfirmedUntil = now.advanced(bySeconds: Self.closingGrace)
            return []
        case .open:
            replacedAt = now
            abandonChange(at: now)
            return [.close]
        }
    }

    /// Gives up the pending change, which the daemon may not have read yet.
    mutating func abandonChange(at now: BootInstant) {
        guard let change else { return }
        unconfirmedUntil = min(change.due, now.advanced(bySeconds: Self.closingGrace))
        self.change = nil
    }

    /// The outstanding answer has arrived, or never will; ``nextActions(at:jitter:)`` has to be called afterwards.
    ///
    /// - Parameter error: the error that arrived in place of the answer.
    mutating func confirmed(
        by error: LocationError? = nil, at now: BootInstant, _ actions: [Action] = []
    ) -> [Action] {
        guard unconfirmedUntil != nil else { return [] }
        if let error, error.isInconclusive { return actions }
        unconfirmedUntil = nil
        retry = retry ?? now
        return actions
    }
}

/// Replies from the daemon.
extension MonitorConnector {
    /// The persisted state was listed; ``nextActions(at:jitter:)`` has to be called afterwards.
    mutating func receiveList(_ persisted: NamedMonitor?) -> [Action] {
        guard case .listing = phase else { return [] }
        phase = .listed(persisted?.subjects)
        return interest?.subjects == nil ? [.deliver(.persisted(persisted))] : []
    }

    /// The change of the regions succeeded; ``nextActions(at:jitter:)`` has to be called afterwards.
    mutating func changeSucceeded() -> [Action] {
        guard let regions = change?.regions else {
            unconfirmedUntil = nil
            return []
        }
        change = nil
        let former = requested
        requested.setRegions(regions)
        return removalEvents(since: former)
    }

    /// The event for regions that the daemon no longer monitors.
    func removalEvents(since former: MonitorSubjects) -> [Action] {
        let gone = Set(former.regions.map(\.identifier)).subtracting(requested.regions.map(\.identifier))
        return gone.isEmpty ? [] : [.deliver(.removed(gone))]
    }

    /// The change of the regions failed.
    mutating func changeFailed(_ error: LocationError, at now: BootInstant, jitter: Double) -> [Action] {
        guard change != nil else { return confirmed(by: error, at: now) }
        if !error.isInconclusive { change = nil }
        switch error {
        case .tooManyRegions, .invalidParameter, .refused:
            refused = interest?.subjects?.regions
            return [.deliver(.refused(error))]
        default: return connectionEnded(error, at: now, jitter: jitter)
        }
    }

    /// A reply to the monitor call.
    ///
    /// - Parameter continues: false for the last reply.
    mutating func receive(
        _ reply: MonitorReply, continues: Bool, at now: BootInstant, jitter: Double
    ) -> [Action] {
        var actions: [Action] = []
        if case .opening = phase {
            phase = .open
            replacedAt = nil
            pause.reset()
        }
        guard phase == .open else {
            replacedAt = now
            return confirmed(at: now, [.close])
        }
        if !isConnected { actions.append(.deliver(.connected)) }
        isConnected = true
        if let status = reply.status, !(self.status?.equalsIgnoringFixAge(status) ?? false) {
            // With another authorization the limits may be higher.
            if self.status?.authorization != status.authorization { refused = nil }
            self.status = status
            actions.append(.deliver(.status(status)))
        }
        if let region = reply.region { actions.append(.deliver(.region(RegionReport(region, at: now)))) }
        if let location = reply.location {
            actions.append(.deliver(.significantChange(location.value.arrived(by: now))))
        }
        if let visit = reply.visit { actions.append(.deliver(.visit(visit))) }
        return continues ? actions : actions + connectionEnded(.disconnected, at: now, jitter: jitter)
    }

    /// The connection has ended or could not be opened, or the persisted state could not be listed.
    ///
    /// - Parameter jitter: 0..<1, a random number of the caller's.
    mutating func connectionEnded(_ error: LocationError, at now: BootInstant, jitter: Double) -> [Action] {
        guard phase != .closed else { return confirmed(by: error, at: now, [.close]) }
        // The daemon may not have noticed yet that the former connection is closed.
        let isClosing = replacedAt.map { now.seconds(since: $0) < Self.closingGrace } ?? false
        let actions: [Action] = if case .listing = phase { [.abandon] } else { [.close] }
        abandonChange(at: now)
        if error.isInconclusive, case .opening = phase { unconfirmedUntil = now.advanced(bySeconds: Self.closingGrace) }
        phase = error.isRateLimit ? phaseAfterRateLimit : .closed
        if isClosing, case .monitorInUse = error {
            retry = now.advanced(bySeconds: Self.retryPause)
            return actions
        }
        (retry, replacedAt) = (now.advanced(bySeconds: pause.seconds(jitter)), nil)
        (isConnected, status) = (false, nil)
        return actions + [.deliver(.disconnected(error))]
    }

    /// The phase to retry from. After a rate limit only the open is retried: the daemon counts a list as many calls, so
    /// listing again would exceed the limit again. If another program has the name, the persisted state may change and
    /// is listed again.
    private var phaseAfterRateLimit: Phase {
        guard interest?.name != nil, case .opening(let persisted, _) = phase else { return .closed }
        return .listed(persisted)
    }
}

extension LocationError {
    fileprivate var isRateLimit: Bool {
        if case .tooManyRequests = self { true } else { false }
    }

    /// True if the error does not say whether the daemon has performed the call, or will.
    var isInconclusive: Bool {
        if case .protocolViolation = self { true } else { false }
    }
}
