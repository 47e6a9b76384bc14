import Authorization
import LocationHub
@_spi(Programs) import LocationModel

/// What outlives the daemon, and the thread that writes it, which runs when the simulated machine lets it.
final class VirtualDisk {
    let threads = HeldThreads()
    /// Writing fails while this is true.
    var isFull = false
    /// How often the monitors were not taken.
    private(set) var refusals = 0
    /// Nothing is written while this is true.
    var isStuck = false

    var sequenceLimit: Int64 = 0
    var isEnabled = true
    /// The switch as it was thrown last, whether that is kept or not.
    var wasSwitchedOn = true
    var location: Location?
    var decisions = DecisionTable()
    var monitors: [PersistedMonitor] = []
    var reduction: ReducedMemory?

    struct Full: Error {}

    /// A restart reserves the first block at once.
    func takeSequenceStart() -> Int64 {
        defer { sequenceLimit += SequenceCounter.blockSize }
        return sequenceLimit
    }

    func keep(_ table: DecisionTable) throws {
        if isFull { throw Full() }
        if decisions.revision < table.revision { decisions = table }
    }

    func keep(_ monitors: [PersistedMonitor]) throws {
        guard !isFull else {
            refusals += 1
            throw Full()
        }
        self.monitors = monitors
    }

    func work() {
        if !isStuck { threads.run() }
    }
}
