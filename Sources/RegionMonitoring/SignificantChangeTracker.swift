import Geodesy
import LocationModel

/// Whether the machine has really moved since its location was told last.
///
/// The first fix is told at once. After it a fix is told if the machine is surely `distance` away from the location
/// told last, that is if their distance less the fix's accuracy is no shorter (an unknown one counts as the assumed one), or
/// if `interval` has passed since. However good the last fix was, a better one that contradicts it is told.
///
/// The source is asked seldom, so that a change is told late rather than the receiver kept on: a fix is needed when the
/// way still to go may have been gone at the recent speed, after ``shortestWait`` at the earliest and ``longestWait`` or,
/// for long ways, the time they take at top speed at the latest; while the machine stands each wait is twice as
/// long as the one before, up to ``standingWait``. Whatever fix comes for somebody else counts too.
struct SignificantChangeTracker: Sendable {
    let request: SignificantChange
    private let settings: MonitorSettings
    /// What was told last.
    private var told: Mark?
    /// Where it was a while ago, by which the speed of a receiver that does not tell it is known.
    private var reference: Mark?
    private var latest: Mark?
    private var wait = Self.shortestWait

    private struct Mark: Sendable {
        let point: SurfacePoint
        let uncertainty: Double
        let time: BootInstant

        init(_ fix: Location, settings: MonitorSettings) {
            point = SurfacePoint(fix.coordinate)
            uncertainty = fix.uncertainty(assumed: settings.assumedAccuracy)
            time = fix.monotonicTime
        }
    }

    /// Seconds. A start to a fix and its linger take some ten: the receiver is on for a sixth of the time at most.
    static let shortestWait = 60.0
    /// Seconds; a car on a country road makes six kilometres of it.
    static let longestWait = 300.0
    /// Seconds; what an evening at home costs, against how late the first change in the morning is told.
    static let standingWait = 900.0
    /// Metres per second, slower than one walks: noise of a receiver that stands.
    static let standingSpeed = 0.7

    init(_ request: SignificantChange, settings: MonitorSettings) {
        self.request = request
        self.settings = settings
    }

    /// - Returns: the fix, if it is to be told.
    mutating func applyFix(_ fix: Location) -> Location? {
        let mark = Mark(fix, settings: settings)
        latest = mark
        guard let told else {
            (told, reference) = (mark, mark)
            return fix
        }
        let moved = told.point.distance(to: mark.point)
        let isDue = request.interval.map { mark.time.seconds(since: told.time) >= $0 } ?? false
        let isFar = moved - mark.uncertainty >= request.distance
        pace(mark, speed: fix.speed, left: isFar || isDue ? request.distance : request.distance - moved)
        guard isFar || isDue else { return nil }
        self.told = mark
        return fix
    }

    /// By when a fix is needed.
    func nextFix(at now: BootInstant, blur: PauseBlur? = nil) -> BootInstant? {
        guard let told, let latest else { return now }
        let next = latest.time.advanced(bySeconds: blur?.shortened(wait) ?? wait)
        return request.interval.map { min(next, told.time.advanced(bySeconds: $0)) } ?? next
    }

    /// Chooses the wait after a fix, with so many metres still to go.
    private mutating func pace(_ mark: Mark, speed told: Double?, left: Double) {
        guard let reference else { return }
        let span = mark.time.seconds(since: reference.time)
        let way = reference.point.distance(to: mark.point)
        let hasMoved = way > reference.uncertainty + mark.uncertainty
        // Within a shorter time a walker would not get out of the noise.
        let isLong = span >= Self.shortestWait
        if isLong { self.reference = mark }
        let speed = max(told ?? 0, hasMoved && span > 0 ? way / span : 0)
        if hasMoved || speed > Self.standingSpeed {
            let latest = max(Self.longestWait, left / settings.topSpeed)
            wait = speed > 0 ? max(Self.shortestWait, min(left / speed, latest)) : Self.shortestWait
        } else if isLong {
            wait = min(wait * 2, Self.standingWait)
        }
    }
}
