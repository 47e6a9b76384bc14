/// How many connections there are, in all and of each user, and who is let in: pure counting.
package struct Admission {
    /// Refused ones are told so before they are closed; of those there may be so many a second.
    package static let refusedAtOnce = 64
    /// And so many of one user, lest the others be closed untold.
    package static let refusedAtOncePerUser = 8

    package var limit: Int
    package var limitPerUser: Int
    /// Connections in all that there is room for, whoever makes them.
    package var capacity: Int
    package private(set) var total = 0
    package private(set) var refused = 0
    private var refusedPerUser: [UInt32: Int] = [:]
    private var perUser: [UInt32: Int] = [:]

    package init(limit: Int, limitPerUser: Int, capacity: Int = .max) {
        self.capacity = capacity
        self.limit = limit
        self.limitPerUser = limitPerUser
    }

    package enum Verdict: Equatable {
        case admitted
        /// Answer the first call with the limit, which is that of one user or of all, then close.
        case refused(limit: Int, isOwn: Bool)
        /// Too many are being refused already: close at once.
        case shut
    }

    /// - Parameter isExempt: limits do not hold for them, but the capacity does.
    package mutating func enter(uid: UInt32, isExempt: Bool) -> Verdict {
        let own = perUser[uid, default: 0]
        let limit = min(isExempt ? .max : limit, capacity)
        if !isExempt, own >= limitPerUser { return refuse(uid: uid, limit: limitPerUser, isOwn: true) }
        guard total < limit else { return refuse(uid: uid, limit: limit, isOwn: false) }
        total += 1
        perUser[uid] = own + 1
        return .admitted
    }

    /// Somebody is over a limit.
    package mutating func refuse(uid: UInt32, limit: Int, isOwn: Bool) -> Verdict {
        let own = refusedPerUser[uid, default: 0]
        guard refused < Self.refusedAtOnce, own < Self.refusedAtOncePerUser else { return .shut }
        refused += 1
        refusedPerUser[uid] = own + 1
        return .refused(limit: limit, isOwn: isOwn)
    }

    package mutating func leave(uid: UInt32) {
        total -= 1
        let left = perUser[uid, default: 1] - 1
        perUser[uid] = left > 0 ? left : nil
    }

    package mutating func leaveRefused(uid: UInt32) {
        refused -= 1
        let left = refusedPerUser[uid, default: 1] - 1
        refusedPerUser[uid] = left > 0 ? left : nil
    }
}
