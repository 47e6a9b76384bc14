import LocationModel

/// Whether the machine stays somewhere, and since when.
///
/// - A visit begins once all fixes of ``settlingTime`` lie within ``arrivalRadius`` and their accuracy of the newest
///   ones; who walks 0.5 m/s does not. A fix that is faster than ``standingSpeed`` does not count towards it. It is told
///   once, with the receiver's UTC of the first of these fixes.
/// - It ends with the second fix in a row that is farther than ``departureRadius`` and its accuracy from the
///   middle, ``confirmation`` or more after the first, so that single wild fixes, of whatever accuracy, change
///   nothing. The departure is the receiver's UTC of the last fix before these: the machine left between the two.
///   A while without fixes, and a restart, do not end a visit: the departure may then lie long before it is told, and is
///   the last moment the machine is known to have been there.
/// - Fixes less accurate than ``usableAccuracy`` say nothing, and an unknown accuracy counts as the assumed one. So where accuracy
///   is reduced no visit is ever told.
///
/// What is kept does not grow with the visit.
struct VisitTracker: Sendable {
    private enum Place: Sendable {
        case none
        case candidate(VisitCandidate)
        case stay(OngoingVisit)
    }

    private let settings: MonitorSettings
    private var place: Place
    /// Since when fixes are elsewhere, and where the latest of them are.
    private var awaySince: BootInstant?
    private var elsewhere: VisitCandidate?
    private var latest: BootInstant?
    private var isLatestUsable = true

    /// Metres. With less accurate fixes 50 m more, a walk cannot be told from a stay.
    static let usableAccuracy = 100.0
    /// Seconds: longer than traffic lights and barriers, shorter than the visits somebody wants to know of.
    static let settlingTime = 300.0
    /// Metres. In ``settlingTime`` 0.5 m/s make 150.
    static let arrivalRadius = 50.0
    /// Metres, twice that of the arrival, so that who moves about at a place does not leave it.
    static let departureRadius = 100.0
    /// Metres per second: faster than one walks, and than a receiver's noise.
    static let standingSpeed = 2.0
    /// Seconds: reflections spoil several fixes in a row, but seldom for longer.
    static let confirmation = 15.0

    init(_ memory: VisitMemory?, settings: MonitorSettings) {
        self.settings = settings
        place = memory.map { .stay(OngoingVisit($0)) } ?? .none
    }

    /// What the next one of the same name is to know; it changes with every fix, and matters from an arrival on.
    var memory: VisitMemory? {
        if case .stay(let stay) = place { stay.memory } else { nil }
    }

    /// - Returns: the end of a visit or the beginning of one, if the fix shows it.
    mutating func applyFix(_ fix: Location) -> [Visit] {
        latest = fix.monotonicTime
        let uncertainty = fix.uncertainty(assumed: settings.assumedAccuracy)
        isLatestUsable = uncertainty <= Self.usableAccuracy
        guard isLatestUsable else { return [] }
        let sample = FixSample(fix, uncertainty: uncertainty)
        switch place {
        case .stay(var stay) where stay.holds(sample):
            stay.add(sample)
            place = .stay(stay)
            (awaySince, elsewhere) = (nil, nil)
            return []
        case .candidate(var candidate) where candidate.holds(sample):
            (awaySince, elsewhere) = (nil, nil)
            candidate.add(sample)
            guard candidate.isSettled else {
                place = .candidate(candidate)
                return []
            }
            let stay = OngoingVisit(candidate)
            place = .stay(stay)
            return [stay.visit(isPresent: true)]
        default:
            return takeElsewhere(sample)
        }
    }

    /// A fix where the machine was not believed to be.
    private mutating func takeElsewhere(_ sample: FixSample) -> [Visit] {
        let since = awaySince ?? sample.time
        if var known = elsewhere, known.holds(sample) {
            known.add(sample)
            elsewhere = known
        } else {
            elsewhere = sample.isMoving ? nil : VisitCandidate(sample)
        }
        awaySince = since
        var left: [Visit] = []
        switch place {
        case .none: break
        case .candidate, .stay:
            guard sample.time.seconds(since: since) >= Self.confirmation else { return [] }
            if case .stay(let stay) = place { left = [stay.visit(isPresent: false)] }
        }
        place = elsewhere.map { .candidate($0) } ?? .none
        (awaySince, elsewhere) = (nil, nil)
        return left
    }
}

/// When the next fix is needed.
extension VisitTracker {
    /// Seconds while it moves: with those of ``settlingWait`` a stay of ten minutes is never missed.
    static let movingWait = 150.0
    /// Seconds while it may have come to stay: five looks within ``settlingTime``.
    static let settlingWait = 75.0
    /// Seconds while it stays, a quarter of how long it has stayed: who stops shortly leaves soon.
    static let stayingWait = 120.0...300.0
    /// Seconds after a fix of no use, as where accuracy is reduced.
    static let uselessWait = 300.0

    func nextFix(at now: BootInstant) -> BootInstant? {
        guard let latest else { return now }
        guard isLatestUsable else { return latest.advanced(bySeconds: Self.uselessWait) }
        let regular =
            switch place {
            case .none: Self.movingWait
            case .candidate(let candidate): candidate.isSettling ? Self.settlingWait : Self.movingWait
            case .stay(let stay): min(max(stay.observed / 4, Self.stayingWait.lowerBound), Self.stayingWait.upperBound)
            }
        let next = latest.advanced(bySeconds: regular)
        guard case .stay = place, let awaySince else { return next }
        return min(next, awaySince.advanced(bySeconds: Self.confirmation))
    }
}
