@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring

/// The monitors by the slot of their watch, those persisted under names, and the search for a fix that they need.
struct MonitorTable: HubPart {
    /// An event that waits until the state it reports is persisted.
    struct Hold {
        var revision: Int
        let since: BootInstant
    }

    private(set) var running: ContiguousArray<Monitor?> = []
    private(set) var count = 0
    /// The named monitors; active ones as they were when they began or were last persisted.
    private(set) var persisted: [MonitorKey: PersistedMonitor]
    private(set) var holders: [MonitorKey: WatchID] = [:]
    /// What the regions of inactive monitors count as against the limits.
    private(set) var weights: [MonitorKey: Int]
    /// Rises with each change that is to be persisted.
    private(set) var revision = 0
    private var hasUnpersistedChanges = false
    var holds: [WatchID: Hold] = [:]
    var search = MonitorSearch()
    /// Randomizes the receivers' pauses to hide how far the machine is from region borders; `nil` for exact pauses.
    private(set) var blur: PauseBlur?
    /// The source of randomness for the pauses.
    private var generator: any RandomNumberGenerator & Sendable

    init(
        _ persisted: [PersistedMonitor] = [], blursPauses: Bool, generator: any RandomNumberGenerator & Sendable
    ) {
        self.generator = generator
        if blursPauses { blur = PauseBlur(using: &self.generator) }
        self.persisted = Dictionary(persisted.map { ($0.key, $0) }) { first, _ in first }
        weights = self.persisted.mapValues { $0.memory.weight }
    }

    /// Draws the random factor of the pauses that follow a fix.
    mutating func drawBlur() { blur?.draw(using: &generator) }

    /// When the first of the updates that are held has waited too long for the disk.
    private func releaseTime(_ settings: HubSettings) -> BootInstant? {
        holds.isEmpty ? nil : holds.values.lazy.map(\.since).min()?.advanced(bySeconds: settings.persistenceTimeout)
    }

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? {
        var next = permit.deadline(of: search, due: due, settings: settings)
        next.formEarlier(releaseTime(settings))
        return next
    }

    /// By when a fix is needed; `nil` if none is.
    private(set) var due: BootInstant?

    mutating func findDue() {
        due = count == 0 ? nil : running.lazy.compactMap { $0?.due }.min()
    }

    /// The accuracy, metres, that suffices for all monitors whose fix is due; `nil` for the best.
    func sufficientAccuracy(at now: BootInstant) -> Double? {
        var least = Double.infinity
        for monitor in running {
            guard let monitor, let due = monitor.due, due <= now else { continue }
            guard let accuracy = monitor.sufficientAccuracy else { return nil }
            least = min(least, accuracy)
        }
        return least.isFinite ? least : nil
    }

    // MARK: Active monitors

    mutating func begin(_ monitor: Monitor, as id: WatchID) {
        while running.count <= id.slot { running.append(nil) }
        running[id.slot] = monitor
        count += 1
        guard let key = monitor.key else { return }
        holders[key] = id
        persisted[key] = monitor.persisted
        weights[key] = nil
        change()
    }

    /// Ends a monitor; its state stays persisted under its name.
    mutating func removeWatch(_ id: WatchID) {
        guard running.indices.contains(id.slot), let monitor = running[id.slot] else { return }
        running[id.slot] = nil
        count -= 1
        holds[id] = nil
        if let key = monitor.key, holders[key] == id {
            holders[key] = nil
            if persisted[key] != monitor.persisted { change() }
            persisted[key] = monitor.persisted
            weights[key] = monitor.weight
        }
        findDue()
    }

    subscript(id: WatchID) -> Monitor? {
        running.indices.contains(id.slot) ? running[id.slot] : nil
    }

    /// Changes a monitor in place; does nothing if there is none.
    mutating func modify<Result>(_ slot: Int, _ body: (inout Monitor) -> Result) -> Result? {
        guard running.indices.contains(slot) else { return nil }
        return running[slot]?.modify(body)
    }

    // MARK: Persistence

    /// Marks a change that has to be persisted.
    mutating func change() {
        revision += 1
        hasUnpersistedChanges = true
    }

    /// Updates for this monitor from now on wait until the present version is persisted.
    mutating func hold(_ id: WatchID, at now: BootInstant) {
        holds[id, default: Hold(revision: 0, since: now)].revision = revision
    }

    /// - Returns: true if there is something to persist since the last call.
    mutating func consumeUnpersistedChanges() -> Bool {
        defer { hasUnpersistedChanges = false }
        return hasUnpersistedChanges
    }

    /// Replaces the persisted state of an inactive monitor.
    mutating func store(_ monitor: PersistedMonitor) {
        persisted[monitor.key] = monitor
        weights[monitor.key] = monitor.memory.weight
        change()
    }

    /// Removes a named monitor.
    /// - Returns: the watch that uses it.
    mutating func forget(_ key: MonitorKey) -> WatchID? {
        persisted[key] = nil
        weights[key] = nil
        change()
        return holders.removeValue(forKey: key)
    }

    /// Finds changes that came without an event.
    mutating func review() {
        for (key, id) in holders {
            let present = self[id]?.persisted
            guard persisted[key] != present else { continue }
            persisted[key] = present
            change()
        }
    }

    /// Everything to persist, by owner and name.
    mutating func snapshot() -> [PersistedMonitor] {
        for (key, id) in holders { persisted[key] = self[id]?.persisted }
        return persisted.values.sorted { ($0.owner, $0.name) < ($1.owner, $1.name) }
    }
}

extension MonitorMemory {
    fileprivate var weight: Int { regions.reduce(0) { $0 + $1.region.weight } }
}

extension Monitor {
    /// Lets optional chaining change a monitor in place, without a copy.
    fileprivate mutating func modify<Result>(_ body: (inout Monitor) -> Result) -> Result {
        body(&self)
    }
}

/// The amounts that are limited: regions by their weight, and names.
struct MonitorCensus {
    let owner: UInt32
    private(set) var regions = 0, names = 0
    private(set) var ownRegions = 0, ownNames = 0
    /// Regions and names of all owners that may not know the position.
    private(set) var unauthorized = 0

    init(owner: UInt32) { self.owner = owner }

    fileprivate mutating func count(_ weight: Int, of owner: UInt32, isNamed: Bool, isAuthorized: Bool) {
        let name = isNamed ? 1 : 0
        (regions, names) = (regions + weight, names + name)
        if owner == self.owner { (ownRegions, ownNames) = (ownRegions + weight, ownNames + name) }
        if !isAuthorized { unauthorized += weight + name }
    }
}

extension MonitorTable {
    /// The amounts of the other owners, and of the same user under other names.
    func census(of owner: UInt32, except key: MonitorKey?) -> MonitorCensus {
        var census = MonitorCensus(owner: owner)
        for (other, monitor) in persisted where other != key && holders[other] == nil {
            census.count(weights[other] ?? 0, of: other.owner, isNamed: true, isAuthorized: monitor.isAuthorized)
        }
        for case let monitor? in running where key == nil || monitor.key != key {
            census.count(
                monitor.weight, of: monitor.owner, isNamed: monitor.name != nil, isAuthorized: monitor.isAuthorized)
        }
        return census
    }
}
