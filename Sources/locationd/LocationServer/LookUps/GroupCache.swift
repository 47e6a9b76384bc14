@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The groups of users on whose behalf others call: known for some seconds after they were asked for, looked up once
/// for all calls that need them at the same time. Pure.
///
/// A membership that is used is at most ``lifetime`` old, counted from before its look-up began: who was removed from a
/// group does not have it for longer on a new connection.
struct GroupCache {
    /// Seconds. A program that a user opens and closes again and again costs one look-up in that time.
    static let lifetime = 5.0
    /// The most users whose groups are known, or being looked up, at a time; users beyond replace the oldest, or wait.
    static let capacity = 256
    /// The most calls of one user that wait for its look-up.
    static let waitingPerUser = 8

    enum Answer: Equatable {
        case known(Set<UInt32>)
        /// The caller begins the look-up, and waits for ``finish(_:groups:at:)``.
        case begins
        /// The look-up runs already.
        case waits
        /// So many calls of the user wait already.
        case tooManyCalls(Int)
        /// So many users' look-ups run already.
        case tooManyUsers(Int)
    }

    private var known: [UInt32: (groups: Set<UInt32>, since: BootInstant)] = [:]
    private var flights = SingleFlight<UInt32, Int, Int, BootInstant>()
    private var running = 0

    /// - Parameter caller: the number of the call that waits, unless the groups are known.
    mutating func groups(of uid: UInt32, for caller: Int, at now: BootInstant) -> Answer {
        if let (groups, since) = known[uid] {
            if Self.isFresh(since, at: now) { return .known(groups) }
            known[uid] = nil
        }
        if flights.call(for: uid) != nil {
            guard flights.waiters(for: uid).count < Self.waitingPerUser else {
                return .tooManyCalls(Self.waitingPerUser)
            }
            flights.join(uid, caller, caller)
            return .waits
        }
        guard running < Self.capacity else { return .tooManyUsers(Self.capacity) }
        _ = flights.start(uid, now)
        flights.join(uid, caller, caller)
        running += 1
        return .begins
    }

    /// A look-up has ended.
    /// - Parameter groups: `nil` if it has failed; the next call begins another.
    /// - Returns: the calls that wait for it.
    mutating func finish(_ uid: UInt32, groups: Set<UInt32>?, at now: BootInstant) -> [Int] {
        guard let since = flights.call(for: uid) else { return [] }
        running -= 1
        if let groups, Self.isFresh(since, at: now) {
            if known.count >= Self.capacity { makeRoom(at: now) }
            known[uid] = (groups, since)
        }
        return flights.finish(uid)
    }

    /// A call waits no longer; the look-up goes on.
    /// - Returns: false if the call did not wait.
    mutating func leave(_ uid: UInt32, _ caller: Int) -> Bool { !flights.leave(uid, caller).isEmpty }

    private static func isFresh(_ since: BootInstant, at now: BootInstant) -> Bool {
        now.seconds(since: since) < lifetime
    }

    private mutating func makeRoom(at now: BootInstant) {
        known = known.filter { Self.isFresh($0.value.since, at: now) }
        guard known.count >= Self.capacity, let oldest = known.min(by: { $0.value.since < $1.value.since }) else {
            return
        }
        known[oldest.key] = nil
    }
}
