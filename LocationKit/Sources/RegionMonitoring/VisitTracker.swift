@_spi(Programs) public import LocationModel

/// Whether the machine stays at a place, and since when.
///
/// - A visit begins once all fixes of ``settlingTime`` lie within ``arrivalRadius`` and their accuracy of the newest
///   ones; walking at 0.5 m/s is no visit. A fix that is faster than ``standingSpeed`` does not count towards it. The
///   beginning is reported once, with the receiver's UTC of the first of these fixes that is where the machine stays: a
///   slow approach is no part of the visit.
/// - It ends with the second fix in a row that is farther than ``departureRadius`` and its accuracy from the middle,
///   ``confirmation`` or more after the first, so that single outliers, of whatever accuracy, change nothing. The
///   departure is the receiver's UTC of the last fix at the place, see ``OngoingVisit``, and neither the way out nor
///   its first ``departureRadius`` count: the machine left between that fix and the next. A period without
///   fixes, and a restart, do not end a visit: the departure may then lie long before its report, and is the last
///   moment at which the machine is known to have been there.
/// - Fixes less accurate than ``usableAccuracy`` are ignored, and an unknown accuracy counts as the assumed one. So no
///   visit is ever reported at reduced accuracy.
///
/// The stored state does not grow with the visit.
@_spi(Programs) public struct VisitTracker: Sendable {
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

    /// Metres. If less accurate fixes counted, a walk could not be distinguished from a stay.
    static let usableAccuracy = 100.0
    /// Seconds: longer than waits at traffic lights and crossings, shorter than visits of interest.
    static let settlingTime = 300.0
    /// Metres. In ``settlingTime`` 0.5 m/s make 150.
    static let arrivalRadius = 50.0
    /// Metres, twice that of the arrival, so that moving about at a place does not end the visit.
    @_spi(Programs) public static let departureRadius = 100.0
    /// Metres per second: faster than walking, and than a receiver's noise.
    @_spi(Programs) public static let standingSpeed = 2.0
    /// Seconds: reflections distort several fixes in a row, but seldom for longer.
    static let confirmation = 15.0

    @_spi(Programs) public init(_ memory: VisitMemory?, settings: MonitorSettings) {
        self.settings = settings
        place = memory.map { .stay(OngoingVisit($0)) } ?? .none
    }

    /// The state that the next monitor of the same name starts from; it changes with every fix, and matters once a
    /// visit began.
    @_spi(Programs) public var memory: VisitMemory? {
        if case .stay(let stay) = place { stay.memory } else { nil }
    }

    /// Whether the newest fix is at the place of a visit, and not on a way that may lead out.
    @_spi(Programs) public var isAtPlace: Bool {
        if case .stay(let stay) = place { awaySince == nil && !stay.isOnExcursion } else { false }
    }

    /// - Returns: the end of a visit or the beginning of one, if the fix decides it.
    @_spi(Programs) public mutating func applyFix(_ fix: Location) -> [Visit] {
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
            return applyFixElsewhere(sample)
        }
    }

    /// Applies a fix that is not at the place of the visit.
    private mutating func applyFixElsewhere(_ sample: FixSample) -> [Visit] {
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
    /// Seconds while it moves: together with ``settlingWait`` this never misses a stay of ten minutes.
    static let movingWait = 150.0
    /// Seconds while it may have arrived: five fixes within ``settlingTime``.
    static let settlingWait = 75.0
    /// Seconds while it stays, a quarter of the stay so far: a short stay tends to end soon.
    static let stayingWait = 120.0...300.0
    /// Seconds after an unusable fix, as with reduced accuracy.
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
