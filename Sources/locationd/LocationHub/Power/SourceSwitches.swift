@_spi(Programs) import LocationModel

/// Which of the sources an administrator has switched off, by name, so that a source stays off when the list
/// changes.
struct SourceSwitches {
    private(set) var off: Set<String>
    /// The ranks of the sources of locations that are on, in order.
    private(set) var ranks: [Int]
    private var offRanks: Set<Int>

    /// - Parameter locatingCount: so many of the first give locations; those behind are compasses.
    init(off: Set<String>, names: [String], locatingCount: Int) {
        self.off = off
        ranks = (0..<locatingCount).filter { !off.contains(names[$0]) }
        offRanks = Set(names.indices.filter { off.contains(names[$0]) })
    }

    func isOff(_ rank: Int) -> Bool { !offRanks.isEmpty && offRanks.contains(rank) }

    /// Sources of ranks below this run if so many of those that are on run.
    func bound(depth: Int) -> Int { depth > 0 && depth <= ranks.count ? ranks[depth - 1] + 1 : 0 }

    /// How many of the sources that are on have a lower rank; a negative rank, which is no source's, is itself.
    func position(of rank: Int) -> Int { rank < 0 ? rank : ranks.firstIndex { $0 >= rank } ?? ranks.count }
}
