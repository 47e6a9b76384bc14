@_spi(Programs) public import LocationModel

/// Applies each fix to one client's regions, significant changes and visits, and decides when the next fix is needed: a
/// pure state machine. The fixes are those the client may see, reduced ones for a client with reduced accuracy.
@_spi(Programs) public struct MonitorEngine: Sendable {
    private let settings: MonitorSettings
    private(set) var regions: [RegionTracker]
    private var rest = StationaryTimer()
    private var change: SignificantChangeTracker?
    private var visits: VisitTracker?
    /// Whether a border may be reached before the source could be started once more, also because the last fix is old.
    private var isNearBorder = true

    /// - Parameter memory: the state of an earlier monitor of the same name; used for regions that are requested again.
    @_spi(Programs) public init(
        _ subjects: MonitorSubjects, memory: MonitorMemory = MonitorMemory(),
        settings: MonitorSettings = MonitorSettings()
    ) {
        self.settings = settings
        let known = Dictionary(memory.regions.map { ($0.region.identifier, $0) }) { first, _ in first }
        regions = subjects.regions.map { region in
            let memory = known[region.identifier].flatMap { $0.region.shape == region.shape ? $0 : nil }
            return RegionTracker(region, memory: memory, settings: settings)
        }
        change = subjects.significantChange.map { SignificantChangeTracker($0, settings: settings) }
        visits = subjects.visits ? VisitTracker(memory.visit, settings: settings) : nil
    }

    /// The state to persist.
    @_spi(Programs) public var memory: MonitorMemory {
        MonitorMemory(
            regions: regions.map(\.memory), significantChange: change?.request, visits: visits != nil,
            visit: visits?.memory)
    }

    /// The state of each region.
    @_spi(Programs) public var reports: [RegionReport] { regions.map(\.report) }

    /// Applies a fix; returns the events for the client, in order.
    @_spi(Programs) public mutating func applyFix(_ fix: Location) -> [MonitorEvent] {
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

    /// Replaces the regions; those with the same identifier and shape keep their state.
    @_spi(Programs) public mutating func setRegions(_ regions: [Region]) {
        let known = Dictionary(self.regions.map { ($0.region.identifier, $0) }) { first, _ in first }
        self.regions = regions.map { region in
            guard var tracker = known[region.identifier], tracker.region.shape == region.shape else {
                return RegionTracker(region, memory: nil, settings: settings)
            }
            tracker.setRegion(region)
            return tracker
        }
    }

    /// No fix comes for a while: the next one confirms the known states or contradicts them.
    @_spi(Programs) public mutating func suspend() {
        rest = StationaryTimer()
        isNearBorder = !regions.isEmpty
        for index in regions.indices { regions[index].suspend() }
        change = change.map { SignificantChangeTracker($0.request, settings: settings) }
        visits = visits.map { VisitTracker($0.memory, settings: settings) }
    }

    /// The latest time at which the next fix is needed; it may come up to a second earlier. Now or earlier means at
    /// once, `nil` never.
    /// - Parameter blur: hides how far the nearest border is; without it the time is exact.
    @_spi(Programs) public mutating func decideNextFix(at now: BootInstant, blur: PauseBlur? = nil) -> BootInstant? {
        let regional = nextForRegions(at: now, blur)
        isNearBorder = regional.map { $0 <= now } ?? false
        return [regional, change?.nextFix(at: now, blur: blur), visits?.nextFix(at: now)].compactMap(\.self).min()
    }

    /// The accuracy, metres, that suffices for the next fix; `nil` for the best, as near a border, or where that is not
    /// known.
    ///
    /// For a significant change it is half of its distance, by which the change is reported later, and for visits
    /// ``VisitTracker/arrivalRadius``.
    @_spi(Programs) public var sufficientAccuracy: Double? {
        guard !isNearBorder else { return nil }
        return [
            regions.isEmpty ? nil : settings.distantAccuracy, change.map { $0.request.distance / 2 },
            visits.map { _ in VisitTracker.arrivalRadius },
        ].compactMap(\.self).min()
    }

    /// Seconds that a fix may come early, so that no border is measured to gain less than that.
    private static let prematurity = 1.0

    /// Measures only those borders that may be the nearest.
    private mutating func nextForRegions(at now: BootInstant, _ blur: PauseBlur?) -> BootInstant? {
        let (latest, unsure) = estimatedNext(at: now, blur)
        guard var next = latest else { return nil }
        for (index, earliest) in unsure where earliest < next {
            regions[index].measure()
            next = min(next, regions[index].nextFix(at: now, rested: rest.seconds, blur: blur).latest)
        }
        return next
    }

    /// The latest time at which a fix is needed, as far as is known without measuring, and the regions that may need it
    /// significantly earlier.
    private func estimatedNext(
        at now: BootInstant, _ blur: PauseBlur?
    ) -> (latest: BootInstant?, unsure: [(index: Int, earliest: BootInstant)]) {
        var next: BootInstant?
        var unsure: [(index: Int, earliest: BootInstant)] = []
        // A span, because copying a tracker costs more than querying it.
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

/// An event for the client.
@_spi(Programs) public enum MonitorEvent: Sendable, Equatable {
    case region(RegionReport)
    case significantChange(Location)
    case visit(Visit)
}
