/// Counts connections, in all and for each user, and decides which are admitted. Pure.
package struct Admission {
    /// The most refused connections a second that get an error reply before they are closed.
    package static let refusedAtOnce = 64
    /// The same for one user, so that the refused connections of other users still get their error replies.
    package static let refusedAtOncePerUser = 8

    package var limit: Int
    package var limitPerUser: Int
    /// The number of connections that resources suffice for, exempt ones included.
    package var capacity: Int
    package private(set) var total = 0
    package private(set) var refused = 0
    /// Violated invariants.
    package private(set) var internalErrors = 0
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

    /// - Parameters:
    ///   - isExempt: the limits do not apply, but the capacity does.
    ///   - isForOthers: the limit of one user does not apply, but that of all does.
    package mutating func enter(uid: UInt32, isExempt: Bool, isForOthers: Bool = false) -> Verdict {
        let own = perUser[uid, default: 0]
        let limit = min(isExempt ? .max : limit, capacity)
        if !isExempt, !isForOthers, own >= limitPerUser { return refuse(uid: uid, limit: limitPerUser, isOwn: true) }
        guard total < limit else { return refuse(uid: uid, limit: limit, isOwn: false) }
        total += 1
        perUser[uid] = own + 1
        return .admitted
    }

    /// Refuses a connection over a limit.
    package mutating func refuse(uid: UInt32, limit: Int, isOwn: Bool) -> Verdict {
        let own = refusedPerUser[uid, default: 0]
        guard refused < Self.refusedAtOnce, own < Self.refusedAtOncePerUser else { return .shut }
        refused += 1
        refusedPerUser[uid] = own + 1
        return .refused(limit: limit, isOwn: isOwn)
    }

    /// Counts a connection again that has just left.
    package mutating func takeBack(uid: UInt32) {
        total += 1
        perUser[uid, default: 0] += 1
    }

    package mutating func leave(uid: UInt32) {
        guard let own = perUser[uid] else { return countInternalError("a connection leaves that was never admitted") }
        total -= 1
        perUser[uid] = own > 1 ? own - 1 : nil
    }

    package mutating func leaveRefused(uid: UInt32) {
        guard let own = refusedPerUser[uid] else {
            return countInternalError("a connection leaves that was never refused")
        }
        refused -= 1
        refusedPerUser[uid] = own > 1 ? own - 1 : nil
    }

    /// A violated invariant is a mistake of ours and never of clients; a debug build stops here.
    private mutating func countInternalError(_ what: StaticString) {
        assertionFailure("\(what)")
        internalErrors += 1
    }
}
