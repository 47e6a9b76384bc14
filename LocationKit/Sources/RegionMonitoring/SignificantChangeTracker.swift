@_spi(Programs) import LocationModel

/// Whether the machine has moved significantly since its location was last reported.
///
/// The first fix is reported at once. After it a fix is reported if the machine is certainly `distance` away from the
/// last reported location, that is if their distance less the fix's accuracy is no shorter (an unknown accuracy counts
/// as the assumed one), or if `interval` has passed since. However accurate the last fix was, a more accurate one that
/// contradicts it is reported.
///
/// The source runs seldom: a change is rather reported late than the receiver kept on. A fix is needed when the
/// remaining distance may have been covered at the recent speed, after ``shortestWait`` at the earliest and
/// ``longestWait`` or, for long distances, the time they take at top speed at the latest; while the machine stands
/// still each wait is twice as long as the one before, up to ``standingWait``. A fix that comes because of another
/// client counts too.
struct SignificantChangeTracker: Sendable {
    let request: SignificantChange
    private let settings: MonitorSettings
    /// The last reported location.
    private var lastReported: Mark?
    /// An earlier location, from which the speed is computed if the receiver does not report it.
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

    /// Seconds. Starting, getting a fix and lingering take about ten: the receiver is on for a sixth of the time at
    /// most.
    static let shortestWait = 60.0
    /// Seconds, in which a car on a country road covers six kilometres.
    static let longestWait = 300.0
    /// Seconds: a compromise between the energy used over a night at home and the delay of the first change in the
    /// morning.
    static let standingWait = 900.0
    /// Metres per second, slower than walking: a stationary receiver's noise.
    static let standingSpeed = 0.7

    init(_ request: SignificantChange, settings: MonitorSettings) {
        self.request = request
        self.settings = settings
    }

    /// - Returns: the fix, if it is to be reported.
    mutating func applyFix(_ fix: Location) -> Location? {
        let mark = Mark(fix, settings: settings)
        latest = mark
        guard let lastReported else {
            (lastReported, reference) = (mark, mark)
            return fix
        }
        let moved = lastReported.point.distance(to: mark.point)
        let isDue = request.interval.map { mark.time.seconds(since: lastReported.time) >= $0 } ?? false
        let isFar = moved - mark.uncertainty >= request.distance
        pace(mark, speed: fix.speed, left: isFar || isDue ? request.distance : request.distance - moved)
        guard isFar || isDue else { return nil }
        self.lastReported = mark
        return fix
    }

    /// The time at which a fix is needed.
    func nextFix(at now: BootInstant, blur: PauseBlur? = nil) -> BootInstant? {
        guard let lastReported, let latest else { return now }
        let next = latest.time.advanced(bySeconds: blur?.shortened(wait) ?? wait)
        return request.interval.map { min(next, lastReported.time.advanced(bySeconds: $0)) } ?? next
    }

    /// Chooses the wait after a fix, given the remaining metres.
    private mutating func pace(_ mark: Mark, speed reported: Double?, left: Double) {
        guard let reference else { return }
        let span = mark.time.seconds(since: reference.time)
        let way = reference.point.distance(to: mark.point)
        let hasMoved = way > reference.uncertainty + mark.uncertainty
        // Within a shorter time a walker's movement would not exceed the noise.
        let isLong = span >= Self.shortestWait
        if isLong { self.reference = mark }
        let speed = max(reported ?? 0, hasMoved && span > 0 ? way / span : 0)
        if hasMoved || speed > Self.standingSpeed {
            let latest = max(Self.longestWait, left / settings.topSpeed)
            wait = speed > 0 ? max(Self.shortestWait, min(left / speed, latest)) : Self.shortestWait
        } else if isLong {
            wait = min(wait * 2, Self.standingWait)
        }
    }
}
