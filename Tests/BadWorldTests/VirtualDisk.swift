import Authorization
import LocationHub
import LocationModel

/// What outlives the daemon, and the thread that writes it, which runs when the world lets it.
final class VirtualDisk {
    let threads = HeldThreads()
    /// Writing fails while this is true.
    var isFull = false
    /// Nothing is written while this is true.
    var isStuck = false

    var sequenceLimit: Int64 = 0
    var isEnabled = true
    var location: Location?
    var decisions = DecisionTable()
    var monitors: [KeptMonitor] = []
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

    func work() {
        if !isStuck { threads.run() }
    }
}
