import Authorization
@_spi(Programs) import LocationModel
import ServiceServer

/// Ends temporary decisions when their terms are over.
///
/// Timers of the event loop stop while the machine sleeps, so the clocks are compared before each fix and each call
/// too: after the end nothing is answered or sent by the temporary decision.
///
/// Ownership: everything here belongs to the event loop.
final class DecisionTerms {
    private let permissions: Permissions
    private lazy var alarm = LoopAlarm(on: loop) { [weak self] in self?.end() }
    private let loop: ServiceLoop
    private weak var owner: (any DecisionTermsOwner)?
    /// The earliest end on the clock that counts through suspend; `nil` while there is no term.
    private var next: BootInstant?
    /// The earliest end on the wall clock, of the terms that a restart left; `nil` while there is none.
    private var nextWall: UTCTime?

    /// The most seconds between two looks at the clocks, which may have been set.
    private static let interval = 60.0
    /// The least seconds of a timer, so that one that fires a moment too early is not set again at once.
    private static let resolution = 1e-6

    init(of permissions: Permissions, loop: ServiceLoop, owner: any DecisionTermsOwner) {
        self.permissions = permissions
        self.loop = loop
        self.owner = owner
    }

    /// Takes up the terms of decisions that were read from the file.
    func resume() { end { $0.resumeTerms(at: $1) } }

    /// Ends what is over, if it is time to look.
    func endIfDue() {
        guard let next else { return }
        let moment = permissions.moment
        if moment.now >= next || nextWall.map({ moment.utc >= $0 }) ?? false { end() }
    }

    /// Sets the timer, after a decision.
    func schedule() {
        next = nil
        nextWall = nil
        let moment = permissions.moment
        guard case .known(let table) = permissions.authority.decisions, let rest = table.nextEnd(at: moment)
        else { return }
        next = moment.now.advanced(bySeconds: rest)
        nextWall = table.nextWallEnd
        alarm.set(after: max(Self.resolution, min(rest, Self.interval)))
    }

    func cancel() {
        alarm.cancel()
        next = nil
    }

    private func end() { end { $0.endTerms(at: $1) } }

    private func end(_ body: (inout DecisionTable, Term.Moment) -> [(subject: Subject, decision: Decision)]) {
        if case .known(var table) = permissions.authority.decisions {
            let before = table.revision
            let ended = body(&table, permissions.moment)
            if table.revision != before {
                permissions.authority.decisions = .known(table)
                owner?.termsEnded(ended, persisting: table)
            }
        }
        schedule()
    }
}

/// Applies the end of temporary decisions.
protocol DecisionTermsOwner: AnyObject {
    /// - Parameters:
    ///   - ended: whose decisions have ended, and what they were.
    ///   - table: the decisions that hold now.
    func termsEnded(_ ended: [(subject: Subject, decision: Decision)], persisting table: DecisionTable)
}
