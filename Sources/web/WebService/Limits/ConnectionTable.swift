/// The open connections: how many there may be, of whom, and which one ends to make room for a new one.
///
/// A connection is without a session until it makes a request with one. Those without have a share of their own, of
/// which the oldest ends for a new one: so whoever has a session can always connect, however many strangers hold
/// connections.
///
/// Ownership: everything belongs to the event loop.
final class ConnectionTable {
    /// A proxy's connections are those of many.
    typealias Owner = WebSessions.Browser

    struct Limits {
        var total: Int
        /// Of one owner, unless it is a proxy, and of one session's user.
        var perUser: Int
        /// Without a session.
        var strangers: Int
    }

    private struct Entry {
        let owner: Owner
        /// The session's user.
        var user: UInt32?
        let close: () -> Void
    }

    private let limits: Limits
    /// By their numbers, of which the lowest is the oldest.
    private var entries: [Int: Entry] = [:]
    private var newest = 0
    private var perOwner: [Owner: Int] = [:]
    private var perUser: [UInt32: Int] = [:]
    private var strangers = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Counts a new connection, and closes an older one without a session if there is no other place for it.
    ///
    /// - Returns: its number; `nil` if there is no place.
    func enter(_ owner: Owner, close: @escaping () -> Void) -> Int? {
        let ownLimit = owner == .behindProxy ? Int.max : limits.perUser
        if perOwner[owner, default: 0] >= ownLimit {
            guard closeStranger(where: { $0 == owner }) else { return nil }
        } else if strangers >= limits.strangers || entries.count >= limits.total {
            // Who has the most pays.
            let owners = entries.values.reduce(into: [Owner: Int]()) {
                if $1.user == nil { $0[$1.owner, default: 0] += 1 }
            }
            let most = owners.values.max()
            guard closeStranger(where: { owners[$0] == most }) else { return nil }
        }
        newest += 1
        entries[newest] = Entry(owner: owner, close: close)
        perOwner[owner, default: 0] += 1
        strangers += 1
        return newest
    }

    /// Counts a connection as one of a session's user from now on. A proxy may use one for several users in turn.
    ///
    /// - Returns: false if the user has too many; the connection stays what it was.
    func identify(_ number: Int, as user: UInt32) -> Bool {
        // It may have been closed to make room meanwhile.
        guard let entry = entries[number] else { return false }
        guard entry.user != user else { return true }
        guard perUser[user, default: 0] < limits.perUser else { return false }
        removeUser(of: entry)
        entries[number]?.user = user
        perUser[user, default: 0] += 1
        return true
    }

    func leave(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        removeUser(of: entry)
        let left = perOwner[entry.owner, default: 1] - 1
        perOwner[entry.owner] = left > 0 ? left : nil
    }

    private func removeUser(of entry: Entry) {
        guard let user = entry.user else { return strangers -= 1 }
        let left = perUser[user, default: 1] - 1
        perUser[user] = left > 0 ? left : nil
    }

    /// Closes the oldest connection without a session of some owners.
    private func closeStranger(where isVictim: (Owner) -> Bool) -> Bool {
        let victims = entries.filter { $0.value.user == nil && isVictim($0.value.owner) }
        let found = victims.min { $0.key < $1.key }
        guard let found else { return false }
        leave(found.key)
        found.value.close()
        return true
    }
}
