import NIOCore
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
        /// Exempt from the limits of one user's connections alone, because each is soon counted for another user.
        package let connectsForOthers: Bool

        package init(uid: UInt32, isExempt: Bool, connectsForOthers: Bool = false) {
            self.uid = uid
            self.isExempt = isExempt
            self.connectsForOthers = connectsForOthers
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
        caller.isExempt || caller.connectsForOthers || rate.spend(uid: caller.uid, at: loop.now)
    }

    /// Counts a new connection against the limits.
    /// - Parameter isTooFast: its user connects too often; it is then refused, but may be sent the error.
    package func enter(_ caller: Caller, isTooFast: Bool = false) -> Admission.Verdict {
        isTooFast
            ? admission.refuse(uid: caller.uid, limit: callsPerSecond, isOwn: true)
            : admission.enter(uid: caller.uid, isExempt: caller.isExempt, isForOthers: caller.connectsForOthers)
    }

    /// Counts a connection for another user from now on.
    /// - Returns: the limit that does not allow it, and the connection stays what it was; `nil` if it is allowed.
    package func hand(_ connection: Connection, from former: Caller, to caller: Caller) -> Int? {
        admission.leave(uid: former.uid)
        switch admission.enter(uid: caller.uid, isExempt: caller.isExempt, isForOthers: caller.connectsForOthers) {
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

    /// Counts a call whose connection is another user's so far, and is to become the caller's: as much as a connection
    /// and the call.
    /// - Returns: false if it is over the limit; it is to be answered with an error.
    package func mayConnect(_ caller: Caller, with call: Call) -> Bool {
        caller.isExempt || rate.spend(1 + Self.cost(of: call), uid: caller.uid, at: loop.now)
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
