import LocationInterface
import LocationModel
import SystemSupport

/// Decides what one monitor asks of a daemon, and what it is told. Does nothing itself: what comes is given to it
/// together with the moment, and it answers with what is to be done.
///
/// One connection brings all that is told. What is kept under a name is asked for before a connection, so that it is
/// taken up as it is and only the difference is changed; without a name another connection takes the place of the one
/// that asks for too much or too little.
///
/// A daemon reads its connections in an order of its own. So what changes what is kept is waited for, though nobody may
/// wish it any more, before anything else is asked: else it might be read later, and undo that. Garbage is no answer.
struct MonitorLink {
    enum Action: Hashable, Sendable {
        case list
        case open(MonitorRequest)
        case change(ChangeRegionsParameters)
        case close
        /// The answer to `list` or `change` is not waited for any more.
        case abandon
        case tell(MonitorNews)
    }

    enum Phase: Hashable, Sendable {
        case closed
        case listing(due: BootInstant)
        /// The wish that says what to monitor is awaited.
        case listed(MonitorSubjects?)
        /// What was listed is held for another try.
        case opening(MonitorSubjects?, due: BootInstant)
        case open
    }

    /// Seconds within which a daemon has to answer.
    static let patience = 10.0
    /// Seconds that a daemon which was there is given to come back.
    static let absence = 1.0
    /// Seconds for which the daemon may take a connection for open that is closed, or may not have read what was said
    /// last, and between two tries then.
    static let (farewell, pause) = (2.0, 0.05)

    let path: String
    var wish: MonitorRequest?
    var phase = Phase.closed
    /// What the daemon tells of, or is about to.
    var asked = MonitorSubjects()
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
    var replaced: BootInstant?
    /// By when there has to be an answer to the opening or the change that nobody wishes any more.
    var unsettled: BootInstant?

    init(path: String) {
        self.path = path
    }

    /// When ``settle(at:jitter:)`` is due without a wish.
    var deadline: BootInstant? {
        if let unsettled { return unsettled }
        guard wish != nil else { return nil }
        return switch phase {
        case .closed, .listed: retry
        case .listing(let due), .opening(_, let due): due
        case .open: change?.due
        }
    }

    /// Does what the wish and time have made due.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    mutating func settle(at now: BootInstant, jitter: Double) -> [Action] {
        if let unsettled, unsettled <= now {
            return settled(at: now, [.abandon, .close]) + settle(at: now, jitter: jitter)
        }
        guard let wish else { return end(at: now) }
        if unsettled != nil { return [] }
        if let retry {
            guard retry <= now else { return [] }
            self.retry = nil
        } else if let deadline, deadline <= now {
            return ended(.silent(at: path), at: now, jitter: jitter)
        }
        switch phase {
        case .closed:
            guard wish.name == nil else {
                phase = .listing(due: now.advanced(bySeconds: Self.patience))
                return [.list]
            }
            return open(wish, kept: nil, at: now)
        case .listing: return []
        case .listed(let kept): return open(wish, kept: kept, at: now)
        case .opening, .open: return follow(wish, at: now)
        }
    }

    private mutating func open(_ wish: MonitorRequest, kept: MonitorSubjects?, at now: BootInstant) -> [Action] {
        guard let subjects = wish.subjects else { return [] }
        var request = MonitorRequest(name: wish.name, purpose: wish.purpose)
        if let kept, kept.significantChange == subjects.significantChange, kept.visits == subjects.visits {
            asked = kept
        } else {
            asked = subjects
            if wish.name != nil { asked.setRegions(MonitorRequestSize.fitting(subjects.regions)) }
            request.subjects = asked
        }
        refused = nil
        phase = .opening(kept, due: now.advanced(bySeconds: Self.patience))
        return [.open(request)]
    }

    /// Has the daemon tell of what is wished now.
    private mutating func follow(_ wish: MonitorRequest, at now: BootInstant) -> [Action] {
        guard let subjects = wish.subjects, subjects != asked else { return [] }
        if wish.name != nil, phase != .open || change != nil { return [] }
        guard let name = wish.name, subjects.significantChange == asked.significantChange,
            subjects.visits == asked.visits
        else {
            let former = asked
            replaced = now
            let actions = [.close] + open(wish, kept: nil, at: now)
            return removal(since: former) + actions
        }
        guard subjects.regions != refused else { return [] }
        guard let next = RegionsChange(from: asked.regions, to: subjects.regions) else {
            asked = subjects
            return []
        }
        change = (next.result, now.advanced(bySeconds: Self.patience))
        return [.change(ChangeRegionsParameters(name: name, add: next.added, remove: next.removed))]
    }

    private mutating func end(at now: BootInstant) -> [Action] {
        defer { (phase, retry, isConnected, status) = (.closed, nil, false, nil) }
        switch phase {
        case .closed, .listed: return []
        case .listing: return [.abandon]
        case .opening:
            unsettled = now.advanced(bySeconds: Self.farewell)
            return []
        case .open:
            replaced = now
            leaveChange(at: now)
            return [.close]
        }
    }

    /// What is under way is of no use any more, but may not have been read.
    mutating func leaveChange(at now: BootInstant) {
        guard let change else { return }
        unsettled = min(change.due, now.advanced(bySeconds: Self.farewell))
        self.change = nil
    }

    /// There is an answer, or will be none; ``settle(at:jitter:)`` is due then.
    ///
    /// - Parameter error: what came in the place of the answer.
    mutating func settled(
        by error: LocationError? = nil, at now: BootInstant, _ actions: [Action] = []
    ) -> [Action] {
        guard unsettled != nil else { return [] }
        if let error, error.isNoAnswer { return actions }
        unsettled = nil
        retry = retry ?? now
        return actions
    }
}
