import LocationModel
import Logging

/// All that a monitor knows and is asked, without any transport: inputs change it, and what follows is its ``interest`` and
/// the work in its outbox.
///
/// It is touched under the monitor's lock alone, so it calls no code of the program: that is all done by the outbox.
struct MonitorState {
    /// A slow loop over thousands of regions still finds the state of each.
    private static let reportCapacity = 10_000

    let configuration: LocationConfiguration
    let name: String?
    var subjects: MonitorSubjects
    /// False while it is not known what is kept under the name.
    var isLoaded: Bool
    /// Whether there is anything under the name that could be changed.
    var isKept = false
    /// What was changed before that was known.
    var removed: Set<String> = []
    var hasSetSignificantChange = false
    var hasSetVisits = false
    /// Those that were removed, until the service tells of them no more.
    var leaving: [String: Region] = [:]
    /// What was kept of the states.
    var keptReports: [String: RegionReport] = [:]

    var isMonitoring = false
    /// True once the monitor is gone; loops go on.
    var isRetired = false
    /// True once what was kept under the name was removed by somebody else, until something is asked again.
    var isForgotten = false

    var reports = SubscriberList<RegionReport>(capacity: reportCapacity)
    var locations = SubscriberList<Location>()
    var visits = SubscriberList<Visit>()
    var statuses = SubscriberList<ServiceStatus>()
    var errors = SubscriberList<LocationError>()

    var deduplicator = RegionEventDeduplicator()
    /// What the service told last, while it is connected.
    var status: ServiceStatus?
    /// The failure that goes on, which was deduplicator.
    var ongoingFailure: LocationError?
    var outbox = Outbox()
    /// What the service was deduplicator.
    var sentInterest: MonitorInterest?
    private var lastID = 0

    init(_ configuration: LocationConfiguration, name: String?, subjects: MonitorSubjects) {
        self.configuration = configuration
        self.name = name
        self.subjects = subjects
        isLoaded = name == nil || !subjects.isEmpty
    }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// What the service is to tell from now on.
    var interest: MonitorInterest? {
        let isAsked = isMonitoring || reports.requestsUpdates || locations.requestsUpdates || visits.requestsUpdates
        guard isAsked, !isForgotten, !isLoaded || isKept || !subjects.isEmpty else { return nil }
        return MonitorInterest(name: name, subjects: isLoaded ? subjects : nil, purpose: configuration.purpose)
    }

    /// The last known report of a region.
    func report(of identifier: String) -> RegionReport? {
        leaving[identifier] == nil ? deduplicator.report(of: identifier) ?? keptReports[identifier] : nil
    }

    /// Follows up an input: to be called after each, before ``interest`` is deduplicator.
    mutating func finishInput() {
        if let interest {
            if name != nil, interest.subjects?.isEmpty == false { isKept = true }
            return
        }
        (status, ongoingFailure) = (nil, nil)
        for identifier in subjects.regions.map(\.identifier) {
            if let report = deduplicator.report(of: identifier) { keptReports[identifier] = report }
        }
        deduplicator = RegionEventDeduplicator()
        leaving = [:]
    }
}

/// What the program asks.
extension MonitorState {
    mutating func start() {
        guard !isRetired else { return }
        isMonitoring = true
        isForgotten = false
    }

    mutating func add(_ region: Region) {
        let known = subjects.region(region.identifier)
        if let shape = (known ?? leaving[region.identifier])?.shape, shape != region.shape {
            forgetRegion(region.identifier)
        }
        subjects.add(region)
        leaving[region.identifier] = nil
        removed.remove(region.identifier)
        isForgotten = false
        // The service has not heard that it was removed, and so does not begin anew.
        if known == nil, let report = deduplicator.report(of: region.identifier) { reports.publish(report, &outbox) }
    }

    mutating func remove(_ identifier: String) {
        if let region = subjects.region(identifier) { leaving[identifier] = region }
        subjects.remove([identifier])
        keptReports[identifier] = nil
        if !isLoaded { removed.insert(identifier) }
    }

    mutating func setSignificantChange(_ change: SignificantChange?) {
        subjects.significantChange = change
        hasSetSignificantChange = true
        if change != nil { isForgotten = false }
    }

    mutating func setVisits(_ visits: Bool) {
        subjects.visits = visits
        hasSetVisits = true
        if visits { isForgotten = false }
    }

    /// Takes up what is kept under the name, as far as the program has not changed it.
    mutating func load(_ kept: KeptMonitor?) {
        guard !isLoaded else { return }
        isLoaded = true
        isKept = kept != nil
        var all = MonitorSubjects(regions: (kept?.regions ?? []) + subjects.regions)
        all.remove(removed)
        all.significantChange = hasSetSignificantChange ? subjects.significantChange : kept?.significantChange
        all.visits = hasSetVisits ? subjects.visits : kept?.monitorsVisits ?? false
        for report in kept?.reports ?? [] {
            // What was changed meanwhile is another region.
            let (old, new) = (kept?.subjects.region(report.identifier), all.region(report.identifier))
            if old != nil, old?.shape == new?.shape { keptReports[report.identifier] = report }
        }
        subjects = all
        removed = []
    }

    mutating func forgetRegion(_ identifier: String) {
        deduplicator.forgetRegion(identifier)
        keptReports[identifier] = nil
        leaving[identifier] = nil
    }

    mutating func removeObservers() {
        reports.removeObservers(&outbox)
        locations.removeObservers(&outbox)
        visits.removeObservers(&outbox)
        statuses.removeObservers(&outbox)
        errors.removeObservers(&outbox)
    }

    /// The monitor is gone: nobody can stop it any more, or remove an observer.
    mutating func retire() {
        isRetired = true
        isMonitoring = false
        removeObservers()
    }
}

/// What the service tells.
extension MonitorState {
    mutating func receive(_ news: MonitorTransportEvent) {
        // What was on its way when the last interest ended is no news of the next connection.
        guard sentInterest != nil else { return }
        switch news {
        case .kept(let kept): load(kept)
        case .connected: break
        case .disconnected(let error):
            (status, ongoingFailure) = (nil, nil)
            statuses.forgetLastValues()
            if case .noSuchMonitor = error { markForgotten() }
            reportFailure(error)
        case .refused(let error): reportFailure(error)
        case .status(let status): applyStatus(status)
        case .removed(let identifiers): for identifier in identifiers { forgetRegion(identifier) }
        case .region(let report):
            let isMonitored = subjects.region(report.identifier) != nil
            guard isMonitored || leaving[report.identifier] != nil else { return }
            let news = deduplicator.newReports(for: report)
            if isMonitored { for report in news { reports.publish(report, &outbox) } }
        case .significantChange(let location): locations.publish(location, &outbox)
        case .visit(let visit): visits.publish(visit, &outbox)
        }
    }

    private mutating func applyStatus(_ status: ServiceStatus) {
        self.status = status
        statuses.publishChange(status, &outbox)
        let present = LocationError(status)
        if let present, present != ongoingFailure { reportFailure(present) }
        ongoingFailure = present
    }

    private mutating func markForgotten() {
        isForgotten = true
        isMonitoring = false
        isKept = false
        subjects = MonitorSubjects()
        keptReports = [:]
    }

    private mutating func reportFailure(_ error: LocationError) {
        errors.publish(error, &outbox)
        let logger = configuration.logger
        outbox.append { logger.info("monitoring fails", metadata: ["error": "\(error)"]) }
    }
}
