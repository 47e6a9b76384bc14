import NIOCore
package import Varlink

/// What each user may take up of a program that serves Varlink: connections, calls by what they cost, and the event
/// loop's time. One piece of code for every such program.
///
/// Ownership: everything here belongs to the event loop of the connections.
package final class UserLimits {
    /// How many there may be.
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

    /// Who asks, and whether the limits of one user hold for it.
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

    /// - Parameter capacity: connections that there is room for, whoever makes them.
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

    /// The calls a second that an error may name.
    package var callsPerSecond: Int { Int(rate.limit) }

    // MARK: Connections

    /// Whether the caller may connect once more now: a connection costs as much as a call.
    package func mayConnect(_ caller: Caller) -> Bool {
        caller.isExempt || rate.take(uid: caller.uid, at: loop.now)
    }

    /// Gives a connection its place.
    /// - Parameter isTooFast: its user connects too often; it has no place then, but may be told so.
    package func enter(_ caller: Caller, isTooFast: Bool = false) -> Admission.Verdict {
        isTooFast
            ? admission.refuse(uid: caller.uid, limit: callsPerSecond, isOwn: true)
            : admission.enter(uid: caller.uid, isExempt: caller.isExempt)
    }

    package func leave(_ caller: Caller) { admission.leave(uid: caller.uid) }

    /// A connection that was refused in words has taken a place for that; it is free after a second, however soon the
    /// connection ends, so that one who connects in a loop is told less and less.
    package func leaveRefused(_ caller: Caller, _ connection: Connection) {
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self, weak connection] in
            self?.admission.leaveRefused(uid: caller.uid)
            connection?.close()
        }
    }

    // MARK: Calls

    /// Counts a call. One too many is to be answered with an error; its connection serves no further call for a second.
    package func admit(_ call: Call, of caller: Caller, on connection: Connection) -> Bool {
        guard !caller.isExempt, !rate.take(Self.cost(of: call), uid: caller.uid, at: loop.now) else { return true }
        connection.hold(for: .seconds(1))
        return false
    }

    /// What a call costs by its length, before anything is known of what it asks: one unit for each KiB begun. To decode
    /// a KiB takes about as long as to serve a short call.
    package static func cost(of call: Call) -> Double {
        max(1, (Double(call.size) / 1024).rounded(.up))
    }

    /// Counts further units that a call, or a connection, has turned out to cost.
    package func charge(_ cost: Double, to caller: Caller) {
        guard !caller.isExempt, cost > 0 else { return }
        rate.charge(cost, uid: caller.uid, at: loop.now)
    }
}
