package import NIOCore

/// How much each user may ask: so many units a second, and twice as many at once after a rest. An ordinary call costs one
/// unit. Pure counting.
package struct RequestRate {
    /// Units a second.
    package var limit: Double
    private var spent: [UInt32: (amount: Double, time: NIODeadline)] = [:]

    package init(limit: Double) {
        self.limit = limit
    }

    /// Users who are remembered.
    package var count: Int { spent.count }

    /// How many units may be spent at once.
    package var burst: Double { max(1, 2 * limit) }

    /// Counts a call. One that costs more than is left is served, too, if a call of one unit would be: the rest delays
    /// the next ones.
    /// - Returns: false if it is one too many; it is not counted then.
    package mutating func take(_ cost: Double = 1, uid: UInt32, at now: NIODeadline) -> Bool {
        let before = amount(of: uid, at: now)
        guard before + 1 <= burst else { return false }
        if spent.count >= Self.purgeSize, spent[uid] == nil { forgetRested(at: now) }
        spent[uid] = (before + cost, now)
        return true
    }

    /// Counts work that a call has turned out to cost; it delays the next ones, however much it is.
    package mutating func charge(_ cost: Double, uid: UInt32, at now: NIODeadline) {
        spent[uid] = (amount(of: uid, at: now) + cost, now)
    }

    private static let purgeSize = 256

    private func amount(of uid: UInt32, at now: NIODeadline) -> Double {
        guard let (amount, time) = spent[uid] else { return 0 }
        return max(0, amount - max(0, Double((now - time).nanoseconds) / 1e9) * limit)
    }

    /// Who has rested long enough is as good as new.
    private mutating func forgetRested(at now: NIODeadline) {
        spent = spent.filter { amount(of: $0.key, at: now) > 0 }
    }
}
