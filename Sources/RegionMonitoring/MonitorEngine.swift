import Geodesy
package import LocationModel

/// What each fix means to one client's regions, significant changes and visits, and when it needs the next: a pure
/// state machine. The fixes are those the client may see, reduced ones for who may know roughly.
package struct MonitorEngine: Sendable {
    private let settings: MonitorSettings
    private(set) var regions: [RegionTracker]
    private var rest = StationaryTimer()
    private var change: SignificantChangeTracker?
    private var visits: VisitTracker?

    /// - Parameter memory: what an earlier one of the same name left; what it has of regions asked for again counts.
    package init(
        _ subjects: MonitorSubjects, memory: MonitorMemory = MonitorMemory(),
        settings: MonitorSettings = MonitorSettings()
    ) {
        self.settings = settings
        let known = Dictionary(memory.regions.map { ($0.region.identifier, $0) }) { first, _ in first }
        regions = subjects.regions.map { region in
            let kept = known[region.identifier].flatMap { $0.region.shape == region.shape ? $0 : nil }
            return RegionTracker(region, memory: kept, settings: settings)
        }
        change = subjects.significantChange.map { SignificantChangeTracker($0, settings: settings) }
        visits = subjects.visits ? VisitTracker(memory.visit, settings: settings) : nil
    }

    /// What is to be kept where a restart finds it.
    package var memory: MonitorMemory {
        MonitorMemory(
            regions: regions.map(\.memory), significantChange: change?.request, visits: visits != nil,
            visit: visits?.memory)
    }

    /// What is known of each region.
    package var reports: [RegionReport] { regions.map(\.report) }

    /// The machine is here now; what is to be told of it, in order.
    package mutating func applyFix(_ fix: Location) -> [MonitorEvent] {
        var events: [MonitorEvent] = []
        if !regions.isEmpty {
            rest.applyFix(fix, settings: settings)
            let point = SurfacePoint(fix.coordinate)
            for index in regions.indices {
                for report in regions[index].applyFix(fix, at: point) { events.append(.region(report)) }
            }
        }
        if let location = change?.applyFix(fix) { events.append(.significantChange(location)) }
        events += visits?.applyFix(fix).map(MonitorEvent.visit) ?? []
        return events
    }

    /// Other regions are asked for; those with the same identifier and shape keep what is known of them.
    package mutating func setRegions(_ regions: [Region]) {
        let known = Dictionary(self.regions.map { ($0.region.identifier, $0) }) { first, _ in first }
        self.regions = regions.map { region in
            guard var tracker = known[region.identifier], tracker.region.shape == region.shape else {
                return RegionTracker(region, memory: nil, settings: settings)
            }
            tracker.setRegion(region)
            return tracker
        }
    }

    /// No fix comes for a while: the first one after it confirms what is believed, or contradicts it.
    package mutating func suspend() {
        rest = StationaryTimer()
        for index in regions.indices { regions[index].suspend() }
        change = change.map { SignificantChangeTracker($0.request, settings: settings) }
        visits = visits.map { VisitTracker($0.memory, settings: settings) }
    }

    /// By when a fix is needed, at the latest, or up to a second before; now or earlier means at once, `nil` never.
    /// - Parameter blur: what hides how far the nearest border is; without it the time is exact.
    package mutating func decideNextFix(at now: BootInstant, blur: PauseBlur? = nil) -> BootInstant? {
        let change = change?.nextFix(at: now, blur: blur)
        return [nextForRegions(at: now, blur), change, visits?.nextFix(at: now)].compactMap(\.self).min()
    }

    /// Seconds that a fix may come before it is needed, so that no border is measured for the sake of less.
    private static let prematurity = 1.0

    /// Measures no more borders than the nearest may be among.
    private mutating func nextForRegions(at now: BootInstant, _ blur: PauseBlur?) -> BootInstant? {
        let (latest, unsure) = estimatedNext(at: now, blur)
        guard var next = latest else { return nil }
        for (index, earliest) in unsure where earliest < next {
            regions[index].measure()
            next = min(next, regions[index].nextFix(at: now, rested: rest.seconds, blur: blur).latest)
        }
        return next
    }

    /// By when a fix is needed at the latest, as far as is known, and which regions may need it so much earlier that it
    /// matters.
    private func estimatedNext(
        at now: BootInstant, _ blur: PauseBlur?
    ) -> (latest: BootInstant?, unsure: [(index: Int, earliest: BootInstant)]) {
        var next: BootInstant?
        var unsure: [(index: Int, earliest: BootInstant)] = []
        // Borrowed, for to copy a tracker costs more than to ask it.
        let trackers = regions.span
        for index in trackers.indices {
            let (earliest, latest) = trackers[index].nextFix(at: now, rested: rest.seconds, blur: blur)
            let isSure = latest.seconds(since: earliest) <= Self.prematurity
            next = min(next ?? latest, isSure ? earliest : latest)
            if !isSure { unsure.append((index, earliest)) }
        }
        return (next, unsure)
    }
}

/// Something a client is to be told.
package enum MonitorEvent: Sendable, Equatable {
    case region(RegionReport)
    case significantChange(Location)
    case visit(Visit)
}
