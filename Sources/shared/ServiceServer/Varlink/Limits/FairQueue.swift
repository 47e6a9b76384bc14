import NIOCore

/// What waits, by user: users take turns, and what one of them has waits in the order in which it came. Pure.
package struct FairQueue<Element> {
    private var waiting: [UInt32: CircularBuffer<Element>] = [:]
    /// The users of whom something waits, in the order of their turns.
    private var order: CircularBuffer<UInt32> = []

    package init() {}

    package var isEmpty: Bool { order.isEmpty }
    package var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    package mutating func append(_ element: Element, of uid: UInt32) {
        if waiting[uid] == nil { order.append(uid) }
        waiting[uid, default: []].append(element)
    }

    /// The next, whose user's turn it is then no more.
    /// - Parameter mayRun: whether a user may have a turn now; others precede one who may not.
    package mutating func popFirst(where mayRun: (UInt32) -> Bool = { _ in true }) -> (uid: UInt32, element: Element)? {
        guard let index = order.firstIndex(where: mayRun) else { return nil }
        let uid = order.remove(at: index)
        guard var own = waiting.removeValue(forKey: uid), let element = own.popFirst() else { return nil }
        if !own.isEmpty {
            waiting[uid] = own
            order.append(uid)
        }
        return (uid, element)
    }

    /// Removes what need not wait any more.
    package mutating func remove(of uid: UInt32, where isMeant: (Element) -> Bool) -> Element? {
        guard var own = waiting[uid], let index = own.firstIndex(where: isMeant) else { return nil }
        let element = own.remove(at: index)
        waiting[uid] = own.isEmpty ? nil : own
        if own.isEmpty { order.removeAll { $0 == uid } }
        return element
    }
}
