/// Collects bytes from a stream and hands out the messages in it, each ended by NUL.
///
/// Bounded: what is collected without being taken out never exceeds `limit`, neither as one message nor as many.
package struct MessageBuffer: Sendable {
    /// Most bytes that may wait here, the NUL not counted.
    package var limit: Int
    private var bytes: [UInt8] = []
    /// Where the first byte not yet handed out lies.
    private var start = 0
    /// Up to where no NUL was found, so that a message that arrives in many pieces is searched once.
    private var searched = 0

    package init(limit: Int) {
        self.limit = limit
    }

    /// True while a message, or part of one, waits.
    package var isEmpty: Bool { start == bytes.count }

    /// True if more waits than may: the peer must be told and let go.
    package var isOverfull: Bool { bytes.count - start > limit + 1 }

    package mutating func append(_ more: some Collection<UInt8>) {
        if start > 0, start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
            start = 0
            searched = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Whether a whole message waits.
    package mutating func hasMessage() -> Bool {
        if let end = bytes[searched...].firstIndex(of: 0) {
            searched = end
            return true
        }
        searched = bytes.count
        discardTaken()
        return false
    }

    /// The next whole message without its NUL, or `nil` if none is complete.
    package mutating func next() -> [UInt8]? {
        guard hasMessage() else { return nil }
        let end = searched
        let message = Array(bytes[start..<end])
        start = end + 1
        searched = start
        return message
    }

    /// Gives taken bytes back once they outweigh the rest, so that each byte is moved a bounded number of times.
    private mutating func discardTaken() {
        guard start > bytes.count - start else { return }
        bytes.removeFirst(start)
        searched -= start
        start = 0
    }
}
