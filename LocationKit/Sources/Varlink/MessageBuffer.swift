/// Buffers bytes from a stream and returns the messages in it, each terminated by NUL.
///
/// Bounded: the buffered bytes never exceed `limit`, neither as one message nor as many.
public struct MessageBuffer: Sendable {
    /// The most bytes that may be buffered, the NUL not counted.
    public var limit: Int
    private var bytes: [UInt8] = []
    /// The index of the first byte that has not been returned.
    private var start = 0
    /// The index up to which there is no NUL, so that a message that arrives in many pieces is searched once.
    private var searched = 0

    /// - Parameter limit: the most bytes that may be buffered.
    public init(limit: Int) {
        self.limit = limit
    }

    /// True if nothing is buffered.
    public var isEmpty: Bool { start == bytes.count }

    /// True if more is buffered than the limit: the connection must end with an error.
    public var isOverfull: Bool { bytes.count - start > limit + 1 }

    /// Adds bytes that have arrived.
    public mutating func append(_ more: some Collection<UInt8>) {
        if start > 0, start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
            start = 0
            searched = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Whether a whole message is buffered.
    public mutating func hasMessage() -> Bool {
        if let end = bytes[searched...].firstIndex(of: 0) {
            searched = end
            return true
        }
        searched = bytes.count
        discardConsumed()
        return false
    }

    /// The next whole message without its NUL, or `nil` if none is complete.
    public mutating func next() -> [UInt8]? {
        guard hasMessage() else { return nil }
        let end = searched
        let message = Array(bytes[start..<end])
        start = end + 1
        searched = start
        return message
    }

    /// Frees consumed bytes once they outnumber the rest, so that each byte is moved a bounded number of times.
    private mutating func discardConsumed() {
        guard start > bytes.count - start else { return }
        bytes.removeFirst(start)
        searched -= start
        start = 0
    }
}
