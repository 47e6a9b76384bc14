@_spi(Programs) import LocationModel
import Logging

/// The state of a monitor, without a transport: inputs change it, and its ``interest`` and the work in its outbox are
/// the results.
///
/// It is used under the monitor's lock alone and never calls code of the program; the outbox does. It has a property
/// for each kind of subscriber and each kind of what was received, so many that they are more than fifteen.
struct MonitorState {
    /// Large enough that a slow loop over thousands of regions receives the state of each.
    private static let reportCapacity = 10_000

    let configuration: LocationConfiguration
    let name: String?
    var subjects: MonitorSubjects
    /// False until it is known what is persisted under the name.
    var isLoaded: Bool
    /// Whether anything is persisted under the name.
    var isPersisted = false
    /// Regions that were removed before the persisted ones were loaded.
    var removed: Set<String> = []
    var hasSetSignificantChange = false
    var hasSetVisits = false
    /// Regions that were removed here, but are still monitored by the service.
    var leaving: [String: Region] = [:]
    /// The reports of an earlier connection, or of an earlier run.
    var earlierReports: [String: RegionReport] = [:]

    var isMonitoring = false
    /// True once the monitor is released; loops go on.
    var isRetired = false
    /// True once somebody else has removed the persisted monitor, until something is requested again.
    var isForgotten = false

    var reports = SubscriberList<RegionReport>(capacity: reportCapacity)
    var locations = SubscriberList<Location>()
    var visits = SubscriberList<Visit>()
    var statuses = SubscriberList<ServiceStatus>()
    var errors = SubscriberList<LocationError>()

    var deduplicator = RegionEventDeduplicator()
    /// The last status that the service delivered on the present connection.
    var status: ServiceStatus?
    /// The failure that the service's last status has told, which persists.
    var ongoingFailure: LocationError?
    /// The outage of the connection that has been reported and persists.
    private var outage: OngoingFailure?
    var outbox = Outbox()
    /// The interest that the transport has.
    var sentInterest: MonitorRequest?
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

    /// The events that are wanted now; `nil` for none.
    var interest: MonitorRequest? {
        let isRequested = isMonitoring || reports.requestsUpdates || locations.requestsUpdates || visits.requestsUpdates
        guard isRequested, !isForgotten, !isLoaded || isPersisted || !subjects.isEmpty else { return nil }
        return MonitorRequest(name: name, subjects: isLoaded ? subjects : nil, purpose: configuration.purpose)
    }

    /// The last known report of a region.
    func report(of identifier: String) -> RegionReport? {
        leaving[identifier] == nil ? deduplicator.report(of: identifier) ?? earlierReports[identifier] : nil
    }

    /// Completes an input: to be called after each, before ``interest`` is read.
    mutating func finishInput() {
        if let interest {
            if name != nil, interest.subjects?.isEmpty == false { isPersisted = true }
            return
        }
        (status, ongoingFailure, outage) = (nil, nil, nil)
        for identifier in subjects.regions.map(\.identifier) {
            if let report = deduplicator.report(of: identifier) { earlierReports[identifier] = report }
        }
        deduplicator = RegionEventDeduplicator()
        leaving = [:]
    }
}

/// Requests of the program.
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
        // The service does not know of the removal, and so does not report the region again.
        if known == nil, let report = deduplicator.report(of: region.identifier) { reports.publish(report, &outbox) }
    }

    mutating func remove(_ identifier: String) {
        if let region = subjects.region(identifier) { leaving[identifier] = region }
        subjects.remove([identifier])
        earlierReports[identifier] = nil
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

    /// Merges what is persisted under the name with what the program has changed meanwhile.
    mutating func load(_ persisted: NamedMonitor?) {
        guard !isLoaded else { return }
        isLoaded = true
        isPersisted = persisted != nil
        var all = MonitorSubjects(lastOfEach: (persisted?.subjects.regions ?? []) + subjects.regions)
        all.remove(removed)
        all.significantChange =
            hasSetSignificantChange ? subjects.significantChange : persisted?.subjects.significantChange
        all.visits = hasSetVisits ? subjects.visits : persisted?.subjects.visits ?? false
        for report in persisted?.reports ?? [] {
            // The report of a region whose shape has changed does not apply.
            let (old, new) = (persisted?.subjects.region(report.identifier), all.region(report.identifier))
            if old != nil, old?.shape == new?.shape { earlierReports[report.identifier] = report }
        }
        subjects = all
        removed = []
    }

    mutating func forgetRegion(_ identifier: String) {
        deduplicator.forgetRegion(identifier)
        earlierReports[identifier] = nil
        leaving[identifier] = nil
    }

    mutating func removeObservers() {
        reports.removeObservers(&outbox)
        locations.removeObservers(&outbox)
        visits.removeObservers(&outbox)
        statuses.removeObservers(&outbox)
        errors.removeObservers(&outbox)
    }

    /// The monitor is released: nobody can stop it or remove an observer any more.
    mutating func retire() {
        isRetired = true
        isMonitoring = false
        removeObservers()
    }
}

/// Events of the transport.
extension MonitorState {
    mutating func receive(_ news: MonitorTransportEvent, at now: BootInstant) {
        // An event that was on its way when the last interest ended does not belong to the next connection.
        guard sentInterest != nil else { return }
        switch news {
        case .persisted(let persisted): load(persisted)
        case .connected: break
        case .disconnected(let error):
            (status, ongoingFailure) = (nil, nil)
            statuses.forgetLastValues()
            if case .noSuchMonitor = error { markForgotten() }
            reportOutage(error, at: now)
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
        outage = nil
        statuses.publishChange(status, &outbox)
        let present = LocationError(status)
        if let present, present != ongoingFailure { reportFailure(present) }
        ongoingFailure = present
    }

    private mutating func markForgotten() {
        isForgotten = true
        isMonitoring = false
        isPersisted = false
        subjects = MonitorSubjects()
        earlierReports = [:]
    }

    /// Each attempt to connect that fails comes here; an outage is reported as ``OngoingFailure`` says.
    private mutating func reportOutage(_ error: LocationError, at now: BootInstant) {
        let isConnectionLost =
            switch error {
            case .monitorInUse, .noSuchMonitor, .tooManyRegions, .invalidParameter, .refused: false
            default: true
            }
        if outage?.goesOn(as: error, isConnectionLost: isConnectionLost) == true {
            if outage?.repeatReport(at: now) == true { reportFailure(error) }
        } else {
            outage = OngoingFailure(error, isConnectionLost: isConnectionLost, at: now)
            reportFailure(error)
        }
    }

    private mutating func reportFailure(_ error: LocationError) {
        errors.publish(error, &outbox)
        let logger = configuration.logger
        outbox.append { logger.info("monitoring fails", metadata: ["error": "\(error)"]) }
    }
}
