import LocationModel

/// The watches by place; the place of one that ended goes to the next that comes.
struct WatchTable {
    private(set) var slots: ContiguousArray<Watch?> = []
    private var free: [Int] = []
    private(set) var count = 0

    /// A place for a watch that is to come.
    mutating func takePlace() -> WatchID {
        if let slot = free.popLast() { return WatchID(slot: slot) }
        slots.append(nil)
        return WatchID(slot: slots.count - 1)
    }

    /// - Parameter id: from ``takePlace()``.
    mutating func set(_ watch: Watch, at id: WatchID) {
        guard slots.indices.contains(id.slot), slots[id.slot] == nil else { return }
        slots[id.slot] = watch
        count += 1
    }

    mutating func remove(_ id: WatchID) -> Watch? {
        guard let watch = self[id] else { return nil }
        slots[id.slot] = nil
        free.append(id.slot)
        count -= 1
        return watch
    }

    subscript(id: WatchID) -> Watch? {
        slots.indices.contains(id.slot) ? slots[id.slot] : nil
    }

    /// Changes a watch where it lies; nothing happens if it has ended.
    mutating func modify<Result>(_ id: WatchID, _ body: (inout Watch) -> Result) -> Result? {
        guard slots.indices.contains(id.slot) else { return nil }
        return slots[id.slot]?.modify(body)
    }

    /// Changes every watch where it lies.
    mutating func forEach(_ body: (WatchID, inout Watch) -> Void) {
        for slot in slots.indices { slots[slot]?.modify { body(WatchID(slot: slot), &$0) } }
    }
}

extension Watch {
    /// Lets optional chaining change a watch in place, without a copy.
    fileprivate mutating func modify<Result>(_ body: (inout Watch) -> Result) -> Result {
        body(&self)
    }
}

/// How many watches need what; kept, because counting thousands at each change costs.
package struct Needs {
    /// Those that need the sources.
    private(set) var watches = 0
    /// Those of them that need every source.
    private(set) var everySource = 0
    /// How many want views of the sky, whether they may have them or not.
    package private(set) var sky = 0

    mutating func add(_ watch: Watch) {
        if watch.makesDemand { watches += 1 }
        if watch.needsEverySource { everySource += 1 }
        if watch.request.satellites { sky += 1 }
    }

    mutating func remove(_ watch: Watch) {
        if watch.makesDemand { watches -= 1 }
        if watch.needsEverySource { everySource -= 1 }
        if watch.request.satellites { sky -= 1 }
    }
}
