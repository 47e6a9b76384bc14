@_spi(Programs) import LocationModel

/// What must be in the mailbox: 256 things, of which the oldest that is no condition gives way.
struct ExpectedMailbox {
    typealias Entry = (event: SourceEvent, rank: Int)

    private(set) var entries: [Entry] = []
    private(set) var lostFixes = 0

    mutating func post(_ event: SourceEvent, from rank: Int) {
        if entries.count == 256, let oldest = entries.firstIndex(where: { !$0.event.isCondition }) {
            if case .fix = entries.remove(at: oldest).event { lostFixes += 1 }
        }
        entries.append((event, rank))
    }
}

extension SourceEvent {
    fileprivate var isCondition: Bool { if case .condition = self { true } else { false } }

    /// What may wait for the fix of its epoch.
    var isSky: Bool {
        switch self {
        case .satellites, .satelliteCounts: true
        default: false
        }
    }
}
