import LocationEstimate
@_spi(Programs) import LocationModel

/// The watches by slot; the slot of a watch that ended is reused.
struct WatchTable: HubPart {
    private(set) var slots: ContiguousArray<Watch?> = []
    private var free: [Int] = []
    private(set) var count = 0
    private(set) var needs = Needs()
    /// When watches with a duration end.
    private var endings = WatchDeadlines()
    /// When locations that are held are sent.
    var batches = WatchDeadlines()

    var ids: [WatchID] { slots.indices.filter { slots[$0] != nil }.map(WatchID.init(slot:)) }

    /// Reserves a slot for a new watch.
    mutating func allocateSlot() -> WatchID {
        if let slot = free.popLast() { return WatchID(slot: slot) }
        slots.append(nil)
        return WatchID(slot: slots.count - 1)
    }

    /// - Parameters:
    ///   - id: from ``allocateSlot()``.
    ///   - end: when its duration is over; `nil` without one.
    /// - Returns: false if the slot is not free.
    mutating func set(_ watch: Watch, at id: WatchID, endingAt end: BootInstant? = nil) -> Bool {
        guard slots.indices.contains(id.slot), slots[id.slot] == nil else { return false }
        slots[id.slot] = watch
        count += 1
        needs.add(watch)
        if let end { endings.add(id, at: end) }
        return true
    }

    /// Replaces a watch by one that may need something else.
    mutating func replace(_ id: WatchID, with watch: Watch) {
        guard let former = self[id] else { return }
        needs.remove(former)
        needs.add(watch)
        slots[id.slot] = watch
    }

    mutating func removeWatch(_ id: WatchID) {
        endings.remove(id)
        batches.remove(id)
        guard let watch = self[id] else { return }
        slots[id.slot] = nil
        free.append(id.slot)
        count -= 1
        needs.remove(watch)
    }

    /// - Returns: the watches whose duration is over.
    mutating func consumeEndings(at now: BootInstant) -> [WatchID] { endings.removeOverdue(at: now) }

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? {
        var next = endings.next
        next.formEarlier(batches.next)
        return next
    }

    subscript(id: WatchID) -> Watch? {
        slots.indices.contains(id.slot) ? slots[id.slot] : nil
    }

    /// Changes a watch in place; does nothing if it has ended.
    @discardableResult
    mutating func modify<Result>(_ id: WatchID, _ body: (inout Watch) -> Result) -> Result? {
        guard slots.indices.contains(id.slot) else { return nil }
        return slots[id.slot]?.modify(body)
    }

    /// Changes every watch in place.
    mutating func forEach(_ body: (WatchID, inout Watch) -> Void) {
        for slot in slots.indices { slots[slot]?.modify { body(WatchID(slot: slot), &$0) } }
    }
}

extension Watch {
    /// Whether it says which accuracy suffices, and wants no satellites; or may not see more than cells.
    fileprivate var isModest: Bool { view.isReduced || desiredAccuracy != nil && !request.satellites }

    /// Lets optional chaining change a watch in place, without a copy.
    fileprivate mutating func modify<Result>(_ body: (inout Watch) -> Result) -> Result {
        body(&self)
    }
}

/// How many watches need what; maintained incrementally, because counting thousands at each change is expensive.
package struct Needs {
    /// Those that need the sources.
    private(set) var watches = 0
    /// Those of them that need the sources all the time.
    private(set) var always = 0
    /// Those of them that need every source.
    private(set) var everySource = 0
    /// Those of them that need the compasses.
    private(set) var headings = 0
    /// Those that need the sources and do not say which accuracy suffices, or want what receivers alone have.
    private(set) var unstated = 0
    /// Those that need the sources and see cells alone.
    private(set) var reduced = 0
    /// How many receive the estimates of each estimator.
    private var estimates: [Agility: Int] = [:]
    /// The estimators that are needed.
    private(set) var agilities: [Agility] = []
    /// How many desire each accuracy, metres.
    private var desiredAccuracies: [Double: Int] = [:]
    /// The smallest accuracy that a watch desires, metres; `nil` if none desires any.
    private(set) var desiredAccuracy: Double?
    /// How many want satellites, whether they may have them or not.
    package private(set) var sky = 0

    mutating func add(_ watch: Watch) {
        if watch.makesDemand { watches += 1 }
        if watch.makesDemand, !watch.isModest { unstated += 1 }
        if watch.makesDemand, watch.view.isReduced { reduced += 1 }
        if watch.needsReceiversAlways { always += 1 }
        if watch.needsEverySource { everySource += 1 }
        if watch.needsCompasses { headings += 1 }
        if watch.receivesEstimates { countEstimate(of: watch, 1) }
        if watch.request.satellites { sky += 1 }
        countDesire(of: watch, 1)
    }

    mutating func remove(_ watch: Watch) {
        if watch.makesDemand { watches -= 1 }
        if watch.makesDemand, !watch.isModest { unstated -= 1 }
        if watch.makesDemand, watch.view.isReduced { reduced -= 1 }
        if watch.needsReceiversAlways { always -= 1 }
        if watch.needsEverySource { everySource -= 1 }
        if watch.needsCompasses { headings -= 1 }
        if watch.receivesEstimates { countEstimate(of: watch, -1) }
        if watch.request.satellites { sky -= 1 }
        countDesire(of: watch, -1)
    }

    private mutating func countEstimate(of watch: Watch, _ difference: Int) {
        let count = (estimates[watch.agility] ?? 0) + difference
        estimates[watch.agility] = count > 0 ? count : nil
        agilities = Agility.allCases.filter { estimates[$0] != nil }
    }

    private mutating func countDesire(of watch: Watch, _ difference: Int) {
        guard let accuracy = watch.desiredAccuracy else { return }
        let count = (desiredAccuracies[accuracy] ?? 0) + difference
        desiredAccuracies[accuracy] = count > 0 ? count : nil
        desiredAccuracy = desiredAccuracies.keys.min()
    }
}
