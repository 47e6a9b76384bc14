import LocationInterface
import LocationModel
import Machine

/// Decides what one monitor asks of a daemon, and what it is told. Does nothing itself: what comes is given to it
/// together with the moment, and it answers with what is to be done.
///
/// One connection brings all that is told. What is kept under a name is requested for before a connection, so that it is
/// taken up as it is and only the difference is changed; without a name another connection takes the place of the one
/// that asks for too much or too little.
///
/// A daemon reads its connections in an order of its own. So what changes what is kept is waited for, though nobody may
/// interest it any more, before anything else is asked: else it might be read later, and undo that. Garbage is no answer.
struct MonitorConnector {
    enum Action: Hashable, Sendable {
        case list
        case open(MonitorParameters)
        case change(ChangeRegionsParameters)
        case close
        /// The answer to `list` or `change` is not waited for any more.
        case abandon
        case deliver(MonitorTransportEvent)
    }

    enum Phase: Hashable, Sendable {
        case closed
        case listing(due: BootInstant)
        /// The interest that says what to monitor is awaited.
        case listed(MonitorSubjects?)
        /// What was listed is held for another try.
        case opening(MonitorSubjects?, due: BootInstant)
        case open
    }

    /// Seconds within which a daemon has to answer.
    static let replyTimeout = 10.0
    /// Seconds that a daemon which was there is given to come back.
    static let restartDelay = 1.0
    /// Seconds for which the daemon may take a connection for open that is closed, or may not have read what was said
    /// last, and between two tries then.
    static let (closingGrace, retryPause) = (2.0, 0.05)

    let path: String
    var interest: MonitorInterest?
    var phase = Phase.closed
    /// What the daemon tells of, or is about to.
    var requested = MonitorSubjects()
    /// The regions as they are once the daemon has answered, and by when it has to.
    var change: (regions: [Region], due: BootInstant)?
    /// The regions that it would not tell of.
    var refused: [Region]?
    var status: ServiceStatus?
    var isConnected = false
    var backoff = Backoff()
    /// When the next try to list or to open is due; `nil` for at once.
    var retry: BootInstant?
    /// When a connection was closed that the next one replaces.
    var replacedAt: BootInstant?
    /// By when there has to be an answer to the opening or the change that nobody wishes any more.
    var unconfirmedUntil: BootInstant?

    init(path: String) {
        self.path = path
    }

    /// When ``nextActions(at:jitter:)`` is due without an interest.
    var deadline: BootInstant? {
        if let unconfirmedUntil { return unconfirmedUntil }
        guard interest != nil else { return nil }
        return switch phase {
        case .closed, .listed: retry
        case .listing(let due), .opening(_, let due): due
        case .open: change?.due
        }
    }

    /// Does what the interest and time have made due.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
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
                phase = .listing(due: now.advanced(bySeconds: Self.replyTimeout))
                return [.list]
            }
            return open(interest, kept: nil, at: now)
        case .listing: return []
        case .listed(let kept): return open(interest, kept: kept, at: now)
        case .opening, .open: return applyInterest(interest, at: now)
        }
    }

    private mutating func open(_ interest: MonitorInterest, kept: MonitorSubjects?, at now: BootInstant) -> [Action] {
        guard let subjects = interest.subjects else { return [] }
        var parameters = MonitorParameters()
        parameters.name = interest.name
        parameters.purpose = interest.purpose
        if let kept, kept.significantChange == subjects.significantChange, kept.visits == subjects.visits {
            requested = kept
        } else {
            requested = subjects
            if interest.name != nil { requested.setRegions(MonitorRequestSize.fitting(subjects.regions)) }
            parameters.regions = requested.regions
            parameters.significantChange = requested.significantChange
            parameters.visits = requested.visits ? true : nil
        }
        refused = nil
        phase = .opening(kept, due: now.advanced(bySeconds: Self.replyTimeout))
        return [.open(parameters)]
    }

    /// Has the daemon tell of what is interests now.
    private mutating func applyInterest(_ interest: MonitorInterest, at now: BootInstant) -> [Action] {
        guard let subjects = interest.subjects, subjects != requested else { return [] }
        if interest.name != nil, phase != .open || change != nil { return [] }
        guard let name = interest.name, subjects.significantChange == requested.significantChange,
            subjects.visits == requested.visits
        else {
            let former = requested
            replacedAt = now
            let actions = [.close] + open(interest, kept: nil, at: now)
            return removalEvents(since: former) + actions
        }
        guard subjects.regions != refused else { return [] }
        guard let next = RegionsChange(from: requested.regions, to: subjects.regions) else {
            requested = subjects
            return []
        }
        change = (next.result, now.advanced(bySeconds: Self.replyTimeout))
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

    /// What is under way is of no use any more, but may not have been read.
    mutating func abandonChange(at now: BootInstant) {
        guard let change else { return }
        unconfirmedUntil = min(change.due, now.advanced(bySeconds: Self.closingGrace))
        self.change = nil
    }

    /// There is an answer, or will be none; ``nextActions(at:jitter:)`` is due then.
    ///
    /// - Parameter error: what came in the place of the answer.
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

/// What comes from the daemon.
extension MonitorConnector {
    /// What is kept under the name; ``nextActions(at:jitter:)`` is due then.
    mutating func receiveList(_ kept: KeptMonitor?) -> [Action] {
        guard case .listing = phase else { return [] }
        phase = .listed(kept?.subjects)
        return interest?.subjects == nil ? [.deliver(.kept(kept))] : []
    }

    /// The regions are changed; ``nextActions(at:jitter:)`` is due then.
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

    /// Tells what the daemon tells of no more.
    func removalEvents(since former: MonitorSubjects) -> [Action] {
        let gone = Set(former.regions.map(\.identifier)).subtracting(requested.regions.map(\.identifier))
        return gone.isEmpty ? [] : [.deliver(.removed(gone))]
    }

    /// The regions could not be changed.
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

    /// A reply over the connection.
    ///
    /// - Parameter continues: false for the last one.
    mutating func receive(
        _ reply: MonitorReply, continues: Bool, at now: BootInstant, jitter: Double
    ) -> [Action] {
        var actions: [Action] = []
        if case .opening = phase {
            phase = .open
            replacedAt = nil
            backoff.succeed()
        }
        guard phase == .open else {
            replacedAt = now
            return confirmed(at: now, [.close])
        }
        if !isConnected { actions.append(.deliver(.connected)) }
        isConnected = true
        if let status = reply.status, !(self.status?.equalsIgnoringFixAge(status) ?? false) {
            // Who is authorized now may have more.
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

    /// The connection has ended, or could not be opened, or what is kept could not be requested.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    mutating func connectionEnded(_ error: LocationError, at now: BootInstant, jitter: Double) -> [Action] {
        guard phase != .closed else { return confirmed(by: error, at: now, [.close]) }
        let wasOpen = phase == .open
        // The daemon may not have seen yet that our former connection is closed.
        let isClosing = replacedAt.map { now.seconds(since: $0) < Self.closingGrace } ?? false
        let actions: [Action] = if case .listing = phase { [.abandon] } else { [.close] }
        abandonChange(at: now)
        if error.isInconclusive, case .opening = phase { unconfirmedUntil = now.advanced(bySeconds: Self.closingGrace) }
        phase = error.isRateLimit ? phaseAfterRateLimit : .closed
        if isClosing, case .monitorInUse = error {
            retry = now.advanced(bySeconds: Self.retryPause)
            return actions
        }
        let wait = wasOpen ? Self.restartDelay + Backoff.first * jitter : backoff.fail(jitter: jitter)
        (retry, replacedAt) = (now.advanced(bySeconds: wait), nil)
        (isConnected, status) = (false, nil)
        return actions + [.deliver(.disconnected(error))]
    }

    /// From where only the opening is tried again: the daemon counts a list as many calls, and would refuse the opening
    /// after each further one for the same reason. Where another program has the name, what is kept may change, and is
    /// listed again.
    private var phaseAfterRateLimit: Phase {
        guard interest?.name != nil, case .opening(let kept, _) = phase else { return .closed }
        return .listed(kept)
    }
}

extension LocationError {
    fileprivate var isRateLimit: Bool {
        if case .tooManyRequests = self { true } else { false }
    }

    /// True of words that do not say whether the daemon has done what it was told, or will.
    var isInconclusive: Bool {
        if case .protocolViolation = self { true } else { false }
    }
}
