import Geodesy
package import LocationModel

/// On which side of a region's border the machine is, by the rule of ``RegionState``.
package struct RegionTracker: Sendable {
    private var gauge: BorderGauge
    private let settings: MonitorSettings
    /// What was told last. Of what an earlier tracker told nothing is told again until a fix has confirmed it.
    package private(set) var memory: RegionMemory
    private var isConfirmed = false
    private var last: RegionObservation?
    /// The first of the latest fixes in a row that contradict what was told.
    private var contradiction: (state: RegionState, since: BootInstant)?
    /// The first of the latest fixes in a row whose circle the border crosses.
    private var hesitation: BootInstant?
    /// The fix from which the stay inside counts.
    private var arrival: BootInstant?

    init(_ region: Region, memory: RegionMemory?, settings: MonitorSettings = MonitorSettings()) {
        self.settings = settings
        gauge = BorderGauge(region.shape)
        self.memory = memory ?? RegionMemory(region: region)
        setRegion(region)
    }

    package var region: Region { memory.region }

    /// What is known by a fix of this tracker's own.
    var report: RegionReport {
        RegionReport(
            identifier: region.identifier, state: isConfirmed ? memory.state : .unknown,
            location: isConfirmed ? memory.location : nil)
    }

    /// Takes the same region with perhaps another dwell, which counts from the same arrival.
    mutating func setRegion(_ region: Region) {
        memory.setRegion(region)
    }

    /// No fix comes for a while: the first one after it confirms what is believed, or contradicts it.
    mutating func suspend() {
        (isConfirmed, last, contradiction, hesitation, arrival) = (false, nil, nil, nil, nil)
    }

    /// What a fix changes, in order. One that is older than another was is passed over.
    /// - Parameter point: where it is.
    mutating func applyFix(_ fix: Location, at point: SurfacePoint) -> [RegionReport] {
        guard !isBeforeMemory(fix) else { return [] }
        if let last, fix.monotonicTime < last.time { return [] }
        var sighting = RegionObservation(fix, at: point, gauge: gauge, settings: settings)
        let verdict = verdict(of: &sighting)
        last = sighting
        guard let state = verdict.state else {
            contradiction = nil
            hesitation = hesitation ?? sighting.time
            return []
        }
        hesitation = nil
        if state == memory.state {
            contradiction = nil
            if state == .inside { arrival = arrival ?? sighting.time }
            let (state, dwell) = (confirm(by: fix), dwell(at: fix))
            return dwell.isEmpty ? state : state + dwell
        }
        let isConfirming = contradiction.map {
            $0.state == state && sighting.time >= $0.since.advanced(bySeconds: RegionObservation.separation)
        }
        guard verdict.isDecisive || isConfirming == true else {
            if contradiction?.state != state { contradiction = (state, sighting.time) }
            return []
        }
        return [change(to: state, by: fix)]
    }

    /// The border is measured only if what the fix says depends on it.
    private mutating func verdict(of sighting: inout RegionObservation) -> RegionObservation.Verdict {
        if let verdict = sighting.verdict(after: memory.state) { return verdict }
        sighting.measure(by: &gauge)
        return sighting.verdict(after: memory.state) ?? RegionObservation.Verdict(state: nil, isDecisive: false)
    }

    /// The fix that a restart finds may be older than the one that decided what is remembered, and would undo it.
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

    /// Tells a state known from memory once a fix has confirmed it.
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

    /// By when a fix is needed, at the latest, of a machine that has been at rest for so many seconds: before it can be at
    /// the border, and when a dwell is due. As far as the border was not measured it is between the two.
    /// - Parameter blur: what hides the distance; without it the pause is exact.
    func nextFix(
        at now: BootInstant, rested: Double = 0, blur: PauseBlur? = nil
    ) -> (earliest: BootInstant, latest: BootInstant) {
        guard let last, contradiction == nil else { return (now, now) }
        func next(_ distance: Double) -> BootInstant {
            let exact = pause(after: last, distance)
            let told = blur?.blurred(exact, shortest: settings.shortestPause) ?? exact
            let pause = min(max(told, min(rested / 4, settings.restPause)), settings.longestPause)
            return pause < settings.shortestPause ? now : last.time.advanced(bySeconds: pause)
        }
        let distance = last.distance.magnitude
        let earliest = next(distance.least)
        let latest = distance.least == distance.most ? earliest : next(distance.most)
        guard let due = dwellDue, due > last.time else { return (earliest, latest) }
        return (min(earliest, due), min(latest, due))
    }

    /// From here on ``nextFix(at:rested:)`` is exact.
    mutating func measure() {
        last?.measure(by: &gauge)
    }

    /// Seconds for which a fix at so many metres from the border is good.
    private func pause(after sighting: RegionObservation, _ distance: Double) -> Double {
        guard let hesitation else { return (distance - sighting.accuracy) / settings.topSpeed }
        // Nothing comes of a region that the circle covers until the receiver is better: it is asked ever more seldom,
        // after twice the time.
        return gauge.depth < sighting.accuracy ? sighting.time.seconds(since: hesitation) : 0
    }
}
