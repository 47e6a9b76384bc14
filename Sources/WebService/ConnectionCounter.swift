/// Counts connections, in all and of each user.
///
/// Ownership: everything belongs to the event loop.
final class ConnectionCounter {
    private let (limit, limitPerUser): (Int, Int)
    private var total = 0
    private var perUser: [UInt32?: Int] = [:]

    init(_ limit: Int, perUser: Int) { (self.limit, limitPerUser) = (limit, perUser) }

    /// - Returns: whether there is a place for another connection of this owner; `nil` are those whose owner is unknown, together.
    func enter(_ owner: UInt32?) -> Bool {
        guard total < limit, perUser[owner, default: 0] < limitPerUser else { return false }
        total += 1
        perUser[owner, default: 0] += 1
        return true
    }

    func leave(_ owner: UInt32?) {
        total -= 1
        let left = perUser[owner, default: 1] - 1
        perUser[owner] = left > 0 ? left : nil
    }
}
