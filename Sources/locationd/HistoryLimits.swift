/// How much of the history is kept.
struct HistoryLimits: Sendable, Equatable {
    /// A file of 16 KiB has room for the longest line twice; one is read into memory as a whole to be shortened, so
    /// that more than 64 MiB is too much.
    static let sizes = 16_384...67_108_864
    static let dayCounts = 1...3650

    /// How long a record is kept, days.
    let days: Int
    /// How long the file may become, bytes.
    let size: Int

    /// What is out of range is taken to its edge.
    init(days: Int = 30, size: Int = 1_048_576) {
        self.days = min(max(days, Self.dayCounts.lowerBound), Self.dayCounts.upperBound)
        self.size = min(max(size, Self.sizes.lowerBound), Self.sizes.upperBound)
    }
}
