package import NIOCore
package import Varlink

/// Limits what each user of a Varlink server may use: connections, calls by their cost, and the event loop's time.
///
/// Ownership: everything here belongs to the event loop of the connections.
package final class UserLimits {
    /// The limits.
    package struct Numbers: Sendable, Hashable {
        /// Connections in all.
        package var connections: Int
        /// Connections of one user.
        package var connectionsPerUser: Int
        /// Units a second that the calls of one user may cost; see ``UserLimits/cost(of:)``.
        package var callsPerSecond: Double

        package init(connections: Int, connectionsPerUser: Int, callsPerSecond: Double) {
            self.connections = connections
            self.connectionsPerUser = connectionsPerUser
            self.callsPerSecond = callsPerSecond
        }
    }

    /// A user, and whether it is exempt from the limits of one user.
    package struct Caller: Sendable, Hashable {
        package let uid: UInt32
        package let isExempt: Bool

        package init(uid: UInt32, isExempt: Bool) {
            self.uid = uid
            self.isExempt = isExempt
        }
    }

    package let scheduler: CallScheduler
    package private(set) var admission: Admission
    package private(set) var rate: RequestRate
    private let loop: any EventLoop

    /// - Parameter capacity: the number of connections that resources suffice for, exempt ones included.
    package init(_ numbers: Numbers, capacity: Int = .max, loop: ServiceLoop) {
        let loop = loop.eventLoop
        self.loop = loop
        scheduler = CallScheduler(loop: loop)
        admission = Admission(
            limit: numbers.connections, limitPerUser: numbers.connectionsPerUser, capacity: capacity)
        rate = RequestRate(limit: numbers.callsPerSecond)
    }

    package func apply(_ numbers: Numbers) {
        admission.limit = numbers.connections
        admission.limitPerUser = numbers.connectionsPerUser
        rate.limit = numbers.callsPerSecond
    }

    /// The calls a second, for the text of an error.
    package var callsPerSecond: Int { Int(rate.limit) }

    // MARK: Connections

    /// Whether the caller may connect once more now: a connection costs as much as a call.
    package func mayConnect(_ caller: Caller) -> Bool {
        caller.isExempt || rate.spend(uid: caller.uid, at: loop.now)
    }

    /// Counts a new connection against the limits.
    /// - Parameter isTooFast: its user connects too often; it is then refused, but may be sent the error.
    package func enter(_ caller: Caller, isTooFast: Bool = false) -> Admission.Verdict {
        isTooFast
            ? admission.refuse(uid: caller.uid, limit: callsPerSecond, isOwn: true)
            : admission.enter(uid: caller.uid, isExempt: caller.isExempt)
    }

    /// Counts a connection for another user from now on.
    /// - Returns: the limit that does not allow it, and the connection stays what it was; `nil` if it is allowed.
    package func hand(_ connection: Connection, from former: Caller, to caller: Caller) -> Int? {
        admission.leave(uid: former.uid)
        switch admission.enter(uid: caller.uid, isExempt: caller.isExempt) {
        case .admitted:
            if !caller.isExempt { connection.scheduleCalls(by: scheduler, as: caller.uid) }
            return nil
        case .refused(let limit, _):
            admission.leaveRefused(uid: caller.uid)
            admission.takeBack(uid: former.uid)
            return limit
        case .shut:
            admission.takeBack(uid: former.uid)
            return admission.limitPerUser
        }
    }

    package func leave(_ caller: Caller) { admission.leave(uid: caller.uid) }

    /// Frees the place of a connection that was refused with an error, after a second, however soon the connection
    /// ends. So a user who connects in a loop gets fewer and fewer error replies.
    package func leaveRefused(_ caller: Caller, _ connection: Connection) {
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self, weak connection] in
            self?.admission.leaveRefused(uid: caller.uid)
            connection?.close()
        }
    }

    // MARK: Calls

    /// Counts a call. Returns false if it is over the limit: it is to be answered with an error, and its connection
    /// serves no further call for a second.
    package func admit(_ call: Call, of caller: Caller, on connection: Connection) -> Bool {
        guard !caller.isExempt, !rate.spend(Self.cost(of: call), uid: caller.uid, at: loop.now) else { return true }
        connection.hold(for: .seconds(1))
        return false
    }

    /// The cost of a call by its length, before it is decoded: one unit for each KiB begun. To decode a KiB takes about
    /// as long as to serve a short call.
    package static func cost(of call: Call) -> Double {
        max(1, (Double(call.size) / 1024).rounded(.up))
    }

    /// Counts further units that a call or a connection turned out to cost.
    package func charge(_ cost: Double, to caller: Caller) {
        guard !caller.isExempt, cost > 0 else { return }
        rate.charge(cost, uid: caller.uid, at: loop.now)
    }
}

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

    /// - Parameter isExempt: the limits do not apply, but the capacity does.
    package mutating func enter(uid: UInt32, isExempt: Bool) -> Verdict {
        let own = perUser[uid, default: 0]
        let limit = min(isExempt ? .max : limit, capacity)
        if !isExempt, own >= limitPerUser { return refuse(uid: uid, limit: limitPerUser, isOwn: true) }
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
