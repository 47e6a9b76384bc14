import LocationKit
import LocationModel
import RegionMonitoring

/// All of a ``ScriptedMonitorService``: the clock, the world, what is monitored and kept, and what is due to be told.
struct ScriptedMonitorState {
    var now: BootInstant
    var world: ScriptedWorld
    private(set) var wish: MonitorWish?
    private var client: (any MonitorClient)?
    /// Decides what a location means; there is none while nothing is monitored, or the service is away.
    private var monitor: RegionMonitoring.LocationMonitor?
    private var request = MonitorRequest()
    private var keptName: String?
    private var memory = MonitorMemory()
    private var isConnected = false
    private var status: ServiceStatus?
    private var due: [MonitorNews] = []
    private var isSettling = false

    init(now: BootInstant, world: ScriptedWorld, kept: KeptMonitor?) {
        self.now = now
        self.world = world
        guard let kept else { return }
        keptName = kept.name
        let reports = Dictionary(kept.reports.map { ($0.identifier, $0) }) { $1 }
        memory = MonitorMemory(
            regions: kept.regions.map { region in
                let report = reports[region.identifier]
                return RegionMemory(region: region, state: report?.state ?? .unknown, location: report?.location)
            }, significantChange: kept.significantChange, visits: kept.monitorsVisits)
    }

    /// What is kept under the name.
    var kept: KeptMonitor? {
        keptName.map { name in
            let memory = monitor?.memory ?? memory
            return KeptMonitor(
                name: name, isActive: monitor != nil, regions: memory.regions.map(\.region),
                significantChange: memory.significantChange, monitorsVisits: memory.visits,
                reports: memory.regions.map {
                    RegionReport(identifier: $0.region.identifier, state: $0.state, location: $0.location)
                })
        }
    }

    // MARK: The monitor

    /// - Returns: who wished before.
    mutating func take(_ wish: MonitorWish?, of client: any MonitorClient) -> (any MonitorClient)? {
        let former = self.client
        let isFirst = self.wish == nil
        self.wish = wish
        self.client = wish == nil ? nil : client
        if wish == nil {
            leave()
            due = []
        } else if let failure = world.failure {
            if isFirst { due.append(.disconnected(failure)) }
        } else {
            follow()
        }
        return former
    }

    private mutating func follow() {
        guard let wish else { return }
        guard let subjects = wish.subjects else { return due.append(.kept(kept)) }
        if !isConnected { due.append(.connected) }
        isConnected = true
        announce()
        let request = MonitorRequest(
            regions: subjects.regions, significantChange: subjects.significantChange, visits: subjects.visits)
        var known: Set<Region> = []
        if var monitor, request.significantChange == self.request.significantChange,
            request.visits == self.request.visits
        {
            known = Set(self.request.regions)
            monitor.setRegions(request.regions)
            self.monitor = monitor
        } else {
            monitor = RegionMonitoring.LocationMonitor(request, memory: wish.name == nil ? MonitorMemory() : memory)
        }
        let gone = Set(known.map(\.identifier)).subtracting(request.regions.map(\.identifier))
        if !gone.isEmpty { due.append(.removed(gone)) }
        self.request = request
        keptName = wish.name
        let begun = Set(request.regions.filter { !known.contains($0) }.map(\.identifier))
        due += (monitor?.reports ?? []).filter { begun.contains($0.identifier) }.map { .region($0) }
    }

    private mutating func leave() {
        if let monitor { memory = monitor.memory }
        monitor = nil
        isConnected = false
        status = nil
    }

    // MARK: What happens

    mutating func take(_ location: Location) {
        now = max(now.advanced(bySeconds: 1e-9), location.monotonicTime)
        let location = world.take(location)
        guard world.mayTell, var monitor else { return announce() }
        let events = monitor.take(location)
        self.monitor = monitor
        announce()
        due += events.map { event in
            switch event {
            case .region(let report): .region(report)
            case .significantChange(let location): .significantChange(location)
            case .visit(let visit): .visit(visit)
            }
        }
    }

    /// Tells the present state if it is not known.
    mutating func announce() {
        var new = world.status(isReceiverWanted: monitor != nil, at: now)
        // That a fix has grown older is no news.
        new.fixAge = nil
        guard isConnected, new != status else { return }
        status = new
        due.append(.status(new))
    }

    mutating func tell(_ news: MonitorNews) {
        due.append(news)
    }

    mutating func disconnect(_ error: LocationError) {
        world.failure = error
        leave()
        due.append(.disconnected(error))
    }

    mutating func reconnect() {
        world.failure = nil
        follow()
    }

    mutating func forgetKept() {
        guard let name = keptName else { return }
        leave()
        (keptName, memory) = (nil, MonitorMemory())
        due.append(.disconnected(.noSuchMonitor(name: name)))
    }

    // MARK: Telling

    /// - Returns: false if somebody settles already, who will also tell what was added meanwhile.
    mutating func beginSettling() -> Bool {
        defer { isSettling = true }
        return !isSettling
    }

    /// What is to be told next, and to whom; `nil` when nothing is due, which ends the settling.
    mutating func next() -> (any MonitorClient, MonitorNews)? {
        guard let client, !due.isEmpty else {
            due = []
            isSettling = false
            return nil
        }
        return (client, due.removeFirst())
    }
}
