/// Counts the calls that wait for their answers, in all and for each user. Pure.
package struct CallSlots {
    let limit: Int
    let limitPerUser: Int
    private(set) var total = 0
    private var perUser: [UInt32: Int] = [:]

    package init(limit: Int, limitPerUser: Int) {
        self.limit = limit
        self.limitPerUser = limitPerUser
    }

    /// - Returns: the limit that is reached, or `nil` if the call may wait.
    package mutating func enter(uid: UInt32) -> Int? {
        let own = perUser[uid, default: 0]
        guard own < limitPerUser else { return limitPerUser }
        guard total < limit else { return limit }
        total += 1
        perUser[uid] = own + 1
        return nil
    }

    package mutating func leave(uid: UInt32) {
        total -= 1
        let left = perUser[uid, default: 1] - 1
        perUser[uid] = left > 0 ? left : nil
    }
}
