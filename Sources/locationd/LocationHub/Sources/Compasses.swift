@_spi(Programs) import LocationModel

/// The sources that give headings alone, and whose headings are delivered.
///
/// Their ranks follow those of all sources of locations. They are no standby of these: one that has failed starts no
/// other, and they run exactly while a watch wants headings, without a linger, because a compass needs no time to find
/// anything.
struct Compasses {
    let ranks: Range<Int>
    private(set) var isRunning = false
    /// Why those cannot be used that have reported so since they last could; it is known while they are stopped, too.
    private(set) var failures: [Int: String] = [:]
    /// The compass whose headings are delivered, which may be a receiver of a source of locations.
    private var followed: (key: ReceiverKey, time: BootInstant, hasDirection: Bool)?

    init(ranks: Range<Int>) {
        self.ranks = ranks
    }

    /// Other sources are configured; whether compasses are to run is unchanged.
    mutating func replace(ranks: Range<Int>) {
        let isRunning = isRunning
        self = Compasses(ranks: ranks)
        self.isRunning = isRunning
    }

    /// - Returns: whether the compasses are to run, if that has changed.
    mutating func update(isWanted: Bool) -> Bool? {
        guard isWanted != isRunning else { return nil }
        isRunning = isWanted
        if !isWanted, let followed, ranks.contains(followed.key.rank) { self.followed = nil }
        return isWanted
    }

    mutating func applyCondition(_ condition: SourceCondition, from rank: Int) {
        switch condition {
        case .connected(nil): failures[rank] = nil
        case .unavailable(let reason):
            failures[rank] = reason
            if followed?.key.rank == rank { followed = nil }
        case .connecting, .connected: break
        }
    }

    /// Decides whether a heading is delivered. One compass is used until it falls silent; it need not belong to the
    /// followed receiver. One that knows no direction, but pitch or roll, gives way to one that does.
    mutating func accept(
        _ heading: Heading, from key: ReceiverKey, measured time: BootInstant, at now: BootInstant, staleAfter: Double
    ) -> Bool {
        if let followed, followed.key != key, now.seconds(since: followed.time) < staleAfter,
            followed.hasDirection || !heading.hasDirection
        {
            return false
        }
        followed = (key, time, heading.hasDirection)
        return true
    }

    /// Begins another run of the sources: which receivers have a compass is unknown again.
    mutating func forgetRun() {
        followed = nil
    }

    /// True while a heading has come in the present run of the sources, or a configured compass has not failed; false
    /// if all of these have; `nil` if it is not known.
    func isAvailable(isDemanded: Bool) -> Bool? {
        if isDemanded, followed != nil { return true }
        return ranks.isEmpty ? nil : failures.count < ranks.count
    }

    /// True while the headings of this source are delivered.
    func isFollowed(_ rank: Int, at now: BootInstant, staleAfter: Double) -> Bool {
        followed.map { $0.key.rank == rank && now.seconds(since: $0.time) < staleAfter } ?? false
    }
}
