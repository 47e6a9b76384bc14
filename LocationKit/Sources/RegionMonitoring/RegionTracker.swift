@_spi(Programs) public import LocationModel

/// On which side of a region's border the machine is, by the rule of ``RegionState``.
@_spi(Programs) public struct RegionTracker: Sendable {
    private var gauge: BorderGauge
    private let settings: MonitorSettings
    /// The last reported state. A state from an earlier tracker is not reported again until a fix has confirmed it.
    @_spi(Programs) public private(set) var memory: RegionMemory
    private var isConfirmed = false
    private var last: RegionObservation?
    /// The first of the latest consecutive fixes that contradict the reported state.
    private var contradiction: (state: RegionState, since: BootInstant)?
    /// The first of the latest consecutive fixes whose circle crosses the border.
    private var hesitation: BootInstant?
    /// The fix at which the stay inside began.
    private var arrival: BootInstant?

    init(_ region: Region, memory: RegionMemory?, settings: MonitorSettings = MonitorSettings()) {
        self.settings = settings
        gauge = BorderGauge(region.shape)
        self.memory = memory ?? RegionMemory(region: region)
        setRegion(region)
    }

    @_spi(Programs) public var region: Region { memory.region }

    /// The state, as far as this tracker's own fixes have confirmed it.
    var report: RegionReport {
        RegionReport(
            identifier: region.identifier, state: isConfirmed ? memory.state : .unknown,
            location: isConfirmed ? memory.location : nil)
    }

    /// Replaces the region by one that may differ in its dwell, which counts from the same arrival.
    mutating func setRegion(_ region: Region) {
        memory.setRegion(region)
    }

    /// No fix comes for a while: the next one confirms the known state or contradicts it.
    mutating func suspend() {
        (isConfirmed, last, contradiction, hesitation, arrival) = (false, nil, nil, nil, nil)
    }

    /// Applies a fix and returns the reports, in order. A fix older than a previous one is ignored.
    /// - Parameter point: the fix's position.
    mutating func applyFix(_ fix: Location, at point: SurfacePoint) -> [RegionReport] {
        guard !isBeforeMemory(fix) else { return [] }
        if let last, fix.monotonicTime < last.time { return [] }
        var observation = RegionObservation(fix, at: point, gauge: gauge, settings: settings)
        let verdict = verdict(of: &observation)
        last = observation
        guard let state = verdict.state else {
            contradiction = nil
            hesitation = hesitation ?? observation.time
            return []
        }
        hesitation = nil
        if state == memory.state {
            contradiction = nil
            if state == .inside { arrival = arrival ?? observation.time }
            let (state, dwell) = (confirm(by: fix), dwell(at: fix))
            return dwell.isEmpty ? state : state + dwell
        }
        let isConfirming = contradiction.map {
            $0.state == state && observation.time >= $0.since.advanced(bySeconds: RegionObservation.separation)
        }
        guard verdict.isDecisive || isConfirming == true else {
            if contradiction?.state != state { contradiction = (state, observation.time) }
            return []
        }
        return [change(to: state, by: fix)]
    }

    /// Measures the border only if the verdict depends on it.
    private mutating func verdict(of observation: inout RegionObservation) -> RegionObservation.Verdict {
        if let verdict = observation.verdict(after: memory.state) { return verdict }
        observation.measure(by: &gauge)
        return observation.verdict(after: memory.state) ?? RegionObservation.Verdict(state: nil, isDecisive: false)
    }

    /// After a restart the first fix may be older than the one that decided the remembered state, and must not revert
    /// it.
    private func isBeforeMemory(_ fix: Location) -> Bool {
        guard !isConfirmed, let decided = memory.location else { return false }
        return fix.sequence < decided.sequence && fix.monotonicTime < decided.monotonicTime
    }

    private mutating func change(to state: RegionState, by fix: Location) -> RegionReport {
        let event: RegionEvent? = memory.state == .unknown ? nil : state == .inside ? .entered : .exited
        contradiction = nil
        isConfirmed = true
        arrival = state == .inside ? fix.monotonicTime : nil
        (memory.state, memory.location, memory.hasDwelled) = (state, fix, false)
        return RegionReport(identifier: region.identifier, state: state, event: event, location: fix)
    }

    /// Reports a remembered state once a fix has confirmed it.
    private mutating func confirm(by fix: Location) -> [RegionReport] {
        guard !isConfirmed else { return [] }
        isConfirmed = true
        memory.location = fix
        return [report]
    }

    private mutating func dwell(at fix: Location) -> [RegionReport] {
        guard let due = dwellDue, fix.monotonicTime >= due else { return [] }
        memory.hasDwelled = true
        return [RegionReport(identifier: region.identifier, state: .inside, event: .dwelled, location: fix)]
    }

    private var dwellDue: BootInstant? {
        guard let dwell = region.dwell, !memory.hasDwelled else { return nil }
        return arrival?.advanced(bySeconds: dwell)
    }

    /// The latest time at which a fix is needed for a machine that has been at rest for the given seconds: before it
    /// can reach the border, and when a dwell is due. A range if the border has not been measured.
    /// - Parameter blur: hides the distance; without it the pause is exact.
    func nextFix(
        at now: BootInstant, rested: Double = 0, blur: PauseBlur? = nil
    ) -> (earliest: BootInstant, latest: BootInstant) {
        guard let last, contradiction == nil else { return (now, now) }
        func next(_ distance: Double) -> BootInstant {
            let exact = pause(after: last, distance)
            let blurred = blur?.blurred(exact, shortest: settings.shortestPause) ?? exact
            let pause = min(max(blurred, min(rested / 4, settings.restPause)), settings.longestPause)
            return pause < settings.shortestPause ? now : last.time.advanced(bySeconds: pause)
        }
        let distance = last.distance.magnitude
        let earliest = next(distance.least)
        let latest = distance.least == distance.most ? earliest : next(distance.most)
        guard let due = dwellDue, due > last.time else { return (earliest, latest) }
        return (min(earliest, due), min(latest, due))
    }

    /// Measures the border, after which ``nextFix(at:rested:)`` is exact.
    mutating func measure() {
        last?.measure(by: &gauge)
    }

    /// Seconds for which a fix at the given metres from the border suffices.
    private func pause(after observation: RegionObservation, _ distance: Double) -> Double {
        guard let hesitation else { return (distance - observation.accuracy) / settings.topSpeed }
        // A region that the fix's circle covers cannot be decided until the accuracy improves, so each wait is twice as
        // long as the one before.
        return gauge.depth < observation.accuracy ? observation.time.seconds(since: hesitation) : 0
    }
}
