import LocationModel

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
