import Authorization
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// Tokens of administrators: who has one may administer on its owner's behalf, if it may call on behalf of others at
/// all. They are in memory alone, so a restart of the daemon ends them. Pure.
///
/// A token is 256 random bits and is looked up in a dictionary, whose hash has a secret of the run: the time of a
/// look-up does not tell how much of a guess is right, so no comparison in constant time is needed.
struct AdministratorTokens {
    /// Seconds: the longest and the usual lifetime, a working day.
    static let lifetime = 43_200.0
    /// The most tokens of one user; a further one takes the place of the oldest.
    static let limitPerUser = 64

    private struct Entry {
        let owner: Principal
        let end: BootInstant
        /// In the order of creation.
        let number: Int
    }

    private var entries: [String: Entry] = [:]
    private var lastNumber = 0

    /// The number of tokens, with those that are over and not yet removed.
    var count: Int { entries.count }

    /// Creates a token.
    ///
    /// - Parameter owner: its user and groups, as the kernel reports them now.
    mutating func add(
        for owner: Principal, lifetime: Double = Self.lifetime, at now: BootInstant,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        entries = entries.filter { $0.value.end > now }
        let own = entries.filter { $0.value.owner.uid == owner.uid }
        if own.count >= Self.limitPerUser, let oldest = own.min(by: { $0.value.number < $1.value.number }) {
            entries[oldest.key] = nil
        }
        lastNumber += 1
        let token = RandomToken.text(using: &generator)
        entries[token] = Entry(
            owner: owner, end: now.advanced(bySeconds: min(lifetime, Self.lifetime)), number: lastNumber)
        return token
    }

    /// The owner of a token; `nil` if there is no such token, it is over, or another user's.
    mutating func owner(of token: String, uid: UInt32, at now: BootInstant) -> Principal? {
        guard let entry = entries[token] else { return nil }
        guard entry.end > now else {
            entries[token] = nil
            return nil
        }
        return entry.owner.uid == uid ? entry.owner : nil
    }

    mutating func revoke(_ token: String) { entries[token] = nil }
}
