@_spi(Programs) import LocationModel

@_spi(Programs) @testable import RegionMonitoring

/// The rules of ``RegionState`` and of the next fix, with the border measured for each fix: what a ``RegionTracker``
/// spares changes nothing.
struct PlainTracker {
    private(set) var region: Region
    private let border: RegionBorder
    private let settings = MonitorSettings()
    private var told = RegionState.unknown
    private var decided: Location?
    private var hasDwelled = false
    private var isConfirmed = false
    private var last: (time: BootInstant, distance: Double, accuracy: Double)?
    private var against: (state: RegionState, since: BootInstant)?
    private var unsure: BootInstant?
    private var arrival: BootInstant?

    init(_ region: Region) {
        self.region = region
        border = RegionBorder(region.shape)
    }

    mutating func suspend() { (isConfirmed, last, against, unsure, arrival) = (false, nil, nil, nil, nil) }

    mutating func setRegion(_ region: Region) {
        if region.dwell != self.region.dwell { hasDwelled = false }
        self.region = region
    }

    mutating func applyFix(_ fix: Location) -> [RegionReport] {
        let now = fix.monotonicTime
        if let decided, !isConfirmed, fix.sequence < decided.sequence, now < decided.monotonicTime { return [] }
        if let last, now < last.time { return [] }
        let (distance, accuracy) = (
            border.distance(from: fix.coordinate), fix.horizontalAccuracy.map { max(0, $0) } ?? 100
        )
        last = (now, distance, accuracy)
        let state: RegionState
        if distance >= accuracy {
            state = .inside
        } else if -distance >= (told == .inside ? max(accuracy, 20) : accuracy) {
            state = .outside
        } else {
            (against, unsure) = (nil, unsure ?? now)
            return []
        }
        unsure = nil
        if state == told {
            against = nil
            if state == .inside { arrival = arrival ?? now }
            var news: [RegionReport] = []
            if !isConfirmed {
                (isConfirmed, decided) = (true, fix)
                news.append(report(nil, fix))
            }
            if let due = dwellDue, now >= due {
                hasDwelled = true
                news.append(report(.dwelled, fix))
            }
            return news
        }
        let isRepeated = against.map { $0.state == state && now >= $0.since.advanced(bySeconds: 0.5) } ?? false
        guard isRepeated || abs(distance) >= 3 * max(accuracy, 20) else {
            if against?.state != state { against = (state, now) }
            return []
        }
        let event: RegionEvent? = told == .unknown ? nil : state == .inside ? .entered : .exited
        (told, decided, hasDwelled, isConfirmed, against) = (state, fix, false, true, nil)
        arrival = state == .inside ? now : nil
        return [report(event, fix)]
    }

    private func report(_ event: RegionEvent?, _ fix: Location) -> RegionReport {
        RegionReport(identifier: region.identifier, state: told, event: event, location: fix)
    }

    private var dwellDue: BootInstant? {
        guard let dwell = region.dwell, !hasDwelled else { return nil }
        return arrival?.advanced(bySeconds: dwell)
    }

    func nextFix(at now: BootInstant, rested: Double) -> BootInstant {
        guard let last, against == nil else { return now }
        var pause = (abs(last.distance) - last.accuracy) / settings.topSpeed
        if let unsure { pause = border.depth < last.accuracy ? last.time.seconds(since: unsure) : 0 }
        pause = min(max(pause, min(rested / 4, settings.restPause)), settings.longestPause)
        let next = pause < settings.shortestPause ? now : last.time.advanced(bySeconds: pause)
        guard let due = dwellDue, due > last.time else { return next }
        return min(next, due)
    }
}
