import LocationModel

/// All that a monitor knows and is asked, without any service: inputs change it, and what follows is its ``wish`` and
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

    var reports = Audience<RegionReport>(capacity: reportCapacity)
    var locations = Audience<Location>()
    var visits = Audience<Visit>()
    var statuses = Audience<ServiceStatus>()
    var errors = Audience<LocationError>()

    var told = ToldRegions()
    /// What the service told last, while it is connected.
    var status: ServiceStatus?
    /// The failure that goes on, which was told.
    var obstacle: LocationError?
    var outbox = Outbox()
    /// What the service was told.
    var toldWish: MonitorRequest?
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
    var wish: MonitorRequest? {
        let isAsked = isMonitoring || reports.asks || locations.asks || visits.asks
        guard isAsked, !isForgotten, !isLoaded || isKept || !subjects.isEmpty else { return nil }
        return MonitorRequest(name: name, subjects: isLoaded ? subjects : nil, purpose: configuration.purpose)
    }

    /// The last known report of a region.
    func report(of identifier: String) -> RegionReport? {
        leaving[identifier] == nil ? told.report(of: identifier) ?? keptReports[identifier] : nil
    }

    /// Follows up an input: to be called after each, before ``wish`` is told.
    mutating func settle() {
        if let wish {
            if name != nil, wish.subjects?.isEmpty == false { isKept = true }
            return
        }
        (status, obstacle) = (nil, nil)
        for identifier in subjects.regions.map(\.identifier) {
            if let report = told.report(of: identifier) { keptReports[identifier] = report }
        }
        told = ToldRegions()
        leaving = [:]
    }
}
