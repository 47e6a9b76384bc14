/// Counts bytes that are held for users, such as answers they have not read and requests that are not yet complete, in
/// all and for each user. Pure.
///
/// Both limits together bound the memory of a service, whatever the number of connections: choose `limit` far below
/// what its unit allows it (`MemoryMax=`).
package struct ByteAccount {
    /// Bytes that may be held in all.
    package var limit: Int
    /// Bytes that may be held for one user.
    package var limitPerUser: Int
    package private(set) var total = 0
    private var perUser: [UInt32: Int] = [:]

    package init(limit: Int, limitPerUser: Int) {
        self.limit = limit
        self.limitPerUser = limitPerUser
    }

    /// The bytes that are held for a user.
    package func held(for uid: UInt32) -> Int { perUser[uid, default: 0] }

    /// Whether so many further bytes may be held for a user.
    package func mayHold(_ bytes: Int, for uid: UInt32) -> Bool {
        total + bytes <= limit && held(for: uid) + bytes <= limitPerUser
    }

    /// Counts bytes if they may be held.
    /// - Returns: false if a limit does not allow it; nothing is counted then.
    package mutating func hold(_ bytes: Int, for uid: UInt32) -> Bool {
        guard mayHold(bytes, for: uid) else { return false }
        charge(bytes, to: uid)
        return true
    }

    /// Counts bytes that are held already, even beyond the limits.
    package mutating func charge(_ bytes: Int, to uid: UInt32) {
        guard bytes > 0 else { return }
        total += bytes
        perUser[uid, default: 0] += bytes
    }

    /// The bytes are not held any more.
    package mutating func release(_ bytes: Int, of uid: UInt32) {
        let own = min(bytes, held(for: uid))
        guard own > 0 else { return }
        total -= own
        let left = held(for: uid) - own
        perUser[uid] = left > 0 ? left : nil
    }
}
