package import NIOCore

/// Limits the rate of each user's calls: `limit` units a second, and twice as many at once after a rest. An ordinary
/// call costs one unit. Pure.
package struct RequestRate {
    /// Units a second.
    package var limit: Double
    private var spent: [UInt32: (amount: Double, time: NIODeadline)] = [:]

    package init(limit: Double) {
        self.limit = limit
    }

    /// The number of users with a record.
    package var count: Int { spent.count }

    /// The most units that may be spent at once.
    package var burst: Double { max(1, 2 * limit) }

    /// Counts a call. One that costs more than what is left is served if a call of one unit would be; the excess delays
    /// the next calls.
    /// - Returns: false if the call is over the limit; it is then not counted.
    package mutating func spend(_ cost: Double = 1, uid: UInt32, at now: NIODeadline) -> Bool {
        let before = amount(of: uid, at: now)
        guard before + 1 <= burst else { return false }
        if spent.count >= Self.purgeSize, spent[uid] == nil { forgetRested(at: now) }
        spent[uid] = (before + cost, now)
        return true
    }

    /// Counts work that a call turned out to cost; it delays the next calls, however much it is.
    package mutating func charge(_ cost: Double, uid: UInt32, at now: NIODeadline) {
        spent[uid] = (amount(of: uid, at: now) + cost, now)
    }

    private static let purgeSize = 256

    private func amount(of uid: UInt32, at now: NIODeadline) -> Double {
        guard let (amount, time) = spent[uid] else { return 0 }
        return max(0, amount - max(0, Double((now - time).nanoseconds) / 1e9) * limit)
    }

    /// Removes users whose budget is full again.
    private mutating func forgetRested(at now: NIODeadline) {
        spent = spent.filter { amount(of: $0.key, at: now) > 0 }
    }
}
