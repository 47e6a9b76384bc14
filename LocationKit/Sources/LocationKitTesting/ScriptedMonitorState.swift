@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring

/// The state of a ``ScriptedMonitorTransport``: the clock, the world, the monitor, and the pending events.
struct ScriptedMonitorState {
    var now: BootInstant
    var world: ScriptedWorld
    private(set) var interest: MonitorRequest?
    private var client: (any MonitorTransportClient)?
    /// The daemon's rules for monitoring; `nil` while nothing is monitored, or the connection is lost.
    private var monitor: MonitorEngine?
    private var subjects = MonitorSubjects()
    private var persistedName: String?
    private var memory = MonitorMemory()
    private var isConnected = false
    private var status: ServiceStatus?
    private var due: [MonitorTransportEvent] = []
    private var isDelivering = false

    init(now: BootInstant, world: ScriptedWorld, persisted: NamedMonitor?) {
        self.now = now
        self.world = world
        guard let persisted else { return }
        persistedName = persisted.name
        let reports = Dictionary(persisted.reports.map { ($0.identifier, $0) }) { $1 }
        memory = MonitorMemory(
            regions: persisted.subjects.regions.map { region in
                let report = reports[region.identifier]
                return RegionMemory(region: region, state: report?.state ?? .unknown, location: report?.location)
            }, significantChange: persisted.subjects.significantChange,
            visits: persisted.subjects.visits)
    }

    /// What is persisted under the name.
    var persisted: NamedMonitor? {
        persistedName.map { name in
            let memory = monitor?.memory ?? memory
            return NamedMonitor(
                name: name, isActive: monitor != nil, subjects: memory.subjects,
                reports: memory.regions.map {
                    RegionReport(identifier: $0.region.identifier, state: $0.state, location: $0.location)
                })
        }
    }

    // MARK: The monitor

    /// - Returns: the client before.
    mutating func setInterest(_ interest: MonitorRequest?, of client: any MonitorTransportClient) -> (
        any MonitorTransportClient
    )? {
        let former = self.client
        let isFirst = self.interest == nil
        self.interest = interest
        self.client = interest == nil ? nil : client
        if interest == nil {
            stopMonitoring()
            due = []
        } else if let failure = world.failure {
            if isFirst { due.append(.disconnected(failure)) }
        } else {
            applyInterest()
        }
        return former
    }

    private mutating func applyInterest() {
        guard let interest else { return }
        guard let subjects = interest.subjects else { return due.append(.persisted(persisted)) }
        if !isConnected { due.append(.connected) }
        isConnected = true
        enqueueStatus()
        var known: Set<Region> = []
        if var monitor, subjects.significantChange == self.subjects.significantChange,
            subjects.visits == self.subjects.visits
        {
            known = Set(self.subjects.regions)
            monitor.setRegions(subjects.regions)
            self.monitor = monitor
        } else {
            monitor = MonitorEngine(
                subjects, memory: interest.name == nil ? MonitorMemory() : memory)
        }
        let gone = Set(known.map(\.identifier)).subtracting(subjects.regions.map(\.identifier))
        if !gone.isEmpty { due.append(.removed(gone)) }
        self.subjects = subjects
        persistedName = interest.name
        let begun = Set(subjects.regions.filter { !known.contains($0) }.map(\.identifier))
        due += (monitor?.reports ?? []).filter { begun.contains($0.identifier) }.map { .region($0) }
    }

    private mutating func stopMonitoring() {
        if let monitor { memory = monitor.memory }
        monitor = nil
        isConnected = false
        status = nil
    }

    // MARK: Events

    mutating func receive(_ location: Location) {
        now = max(now.advanced(bySeconds: 1e-9), location.monotonicTime)
        let location = world.record(location)
        guard world.mayDeliver, var monitor else { return enqueueStatus() }
        let events = monitor.applyFix(location)
        self.monitor = monitor
        enqueueStatus()
        due += events.map { event in
            switch event {
            case .region(let report): .region(report)
            case .significantChange(let location): .significantChange(location)
            case .visit(let visit): .visit(visit)
            }
        }
    }

    /// Enqueues the current status unless it was delivered.
    mutating func enqueueStatus() {
        var new = world.status(isReceiverWanted: monitor != nil, at: now)
        // The age of the fix changes by itself.
        new.fixAge = nil
        guard isConnected, new != status else { return }
        status = new
        due.append(.status(new))
    }

    mutating func enqueue(_ event: MonitorTransportEvent) {
        due.append(event)
    }

    mutating func disconnect(_ error: LocationError) {
        world.failure = error
        stopMonitoring()
        due.append(.disconnected(error))
    }

    mutating func reconnect() {
        world.failure = nil
        applyInterest()
    }

    mutating func removePersistedMonitor() {
        guard let name = persistedName else { return }
        stopMonitoring()
        (persistedName, memory) = (nil, MonitorMemory())
        due.append(.disconnected(.noSuchMonitor(name: name)))
    }

    // MARK: Delivery

    /// - Returns: false if another caller is delivering; it will deliver what was added meanwhile, too.
    mutating func beginDelivery() -> Bool {
        defer { isDelivering = true }
        return !isDelivering
    }

    /// The next event and its receiver; `nil` if there is none, which ends the delivery.
    mutating func nextEvent() -> (any MonitorTransportClient, MonitorTransportEvent)? {
        guard let client, !due.isEmpty else {
            due = []
            isDelivering = false
            return nil
        }
        return (client, due.removeFirst())
    }
}
