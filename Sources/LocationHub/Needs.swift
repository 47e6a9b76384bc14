/// How many watches need the sources; kept, because counting thousands at each change costs.
struct Needs {
    private(set) var watches = 0
    /// Those of them that need every source.
    private(set) var everySource = 0

    mutating func add(_ watch: Watch) {
        if watch.makesDemand { watches += 1 }
        if watch.needsEverySource { everySource += 1 }
    }

    mutating func remove(_ watch: Watch) {
        if watch.makesDemand { watches -= 1 }
        if watch.needsEverySource { everySource -= 1 }
    }
}
