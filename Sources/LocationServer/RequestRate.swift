import LocationModel

/// How many calls each user may make: so many a second, and twice as many at once after a rest. Pure counting.
struct RequestRate {
    /// Calls a second.
    var limit: Double
    private var spent: [UInt32: (amount: Double, time: BootInstant)] = [:]

    init(limit: Double) {
        self.limit = limit
    }

    /// Users who are remembered.
    var count: Int { spent.count }

    /// How many calls may come at once.
    var burst: Double { max(1, 2 * limit) }

    /// Counts a call.
    /// - Returns: false if it is one too many; it is not counted then.
    mutating func take(uid: UInt32, at now: BootInstant) -> Bool {
        let spentNow = amount(of: uid, at: now) + 1
        guard spentNow <= burst else { return false }
        if spent.count >= Self.purgeSize, spent[uid] == nil { forgetRested(at: now) }
        spent[uid] = (spentNow, now)
        return true
    }

    /// Counts calls for which the one that was taken stands; they delay the next ones, however many they are.
    mutating func charge(_ calls: Double, uid: UInt32, at now: BootInstant) {
        spent[uid] = (amount(of: uid, at: now) + calls, now)
    }

    private static let purgeSize = 256

    private func amount(of uid: UInt32, at now: BootInstant) -> Double {
        guard let (amount, time) = spent[uid] else { return 0 }
        return max(0, amount - max(0, now.seconds(since: time)) * limit)
    }

    /// Who has rested long enough is as good as new.
    private mutating func forgetRested(at now: BootInstant) {
        spent = spent.filter { amount(of: $0.key, at: now) > 0 }
    }
}
