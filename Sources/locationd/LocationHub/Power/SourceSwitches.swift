@_spi(Programs) import LocationModel

/// Which of the sources an administrator has switched off, by name, so that a source stays off when the list
/// changes; and which are spared at present, because another one costs less power.
struct SourceSwitches {
    private(set) var off: Set<String>
    private(set) var spared: Set<String>
    /// The ranks of the sources of locations that are on and not spared, in order.
    private(set) var ranks: [Int]
    /// Whether an administrator has switched off all sources of locations.
    private(set) var areAllOff: Bool
    private var offRanks: Set<Int>
    private var sparedRanks: Set<Int>

    /// - Parameter locatingCount: so many of the first give locations; those behind are compasses.
    init(off: Set<String>, spared: Set<String> = [], names: [String], locatingCount: Int) {
        (self.off, self.spared) = (off, spared)
        ranks = (0..<locatingCount).filter { !off.contains(names[$0]) && !spared.contains(names[$0]) }
        areAllOff = names.prefix(locatingCount).allSatisfy(off.contains)
        offRanks = Set(names.indices.filter { off.contains(names[$0]) })
        sparedRanks = Set(names.indices.filter { spared.contains(names[$0]) })
    }

    /// The names of those that do not run, whatever their rank.
    var stopped: Set<String> { off.union(spared) }

    func isSpared(_ rank: Int) -> Bool { !sparedRanks.isEmpty && sparedRanks.contains(rank) }

    func isOff(_ rank: Int) -> Bool { !offRanks.isEmpty && offRanks.contains(rank) }

    /// Sources of ranks below this run if so many of those that are on run.
    func bound(depth: Int) -> Int { depth > 0 && depth <= ranks.count ? ranks[depth - 1] + 1 : 0 }

    /// How many of the sources that are on have a lower rank; a negative rank, which is no source's, is itself.
    func position(of rank: Int) -> Int { rank < 0 ? rank : ranks.firstIndex { $0 >= rank } ?? ranks.count }
}
