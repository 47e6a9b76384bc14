@_spi(Programs) import LocationModel

/// At most one moment for each watch, and the next of them.
struct WatchDeadlines {
    private var moments: [WatchID: BootInstant] = [:]
    /// The earliest moment, or earlier if that was removed: searching thousands for the next one waits until then.
    private(set) var next: BootInstant?

    var isEmpty: Bool { moments.isEmpty }

    mutating func add(_ id: WatchID, at moment: BootInstant) {
        moments[id] = moment
        next = min(next ?? moment, moment)
    }

    mutating func remove(_ id: WatchID) { moments[id] = nil }

    func contains(_ id: WatchID) -> Bool { moments[id] != nil }

    /// - Returns: the watches whose moment has come, which are removed.
    mutating func removeOverdue(at now: BootInstant) -> [WatchID] {
        guard let next, next <= now else { return [] }
        let overdue = moments.filter { $0.value <= now }.keys.sorted { $0.slot < $1.slot }
        for id in overdue { moments[id] = nil }
        self.next = moments.values.min()
        return overdue
    }
}
