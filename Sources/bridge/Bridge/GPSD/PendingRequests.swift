import NIOCore

/// What a client has sent and is not answered yet, in pieces of at most one request. Pure.
struct PendingRequests {
    private var bytes = ByteBuffer()

    var count: Int { bytes.readableBytes }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ received: ByteBuffer) {
        var received = received
        if isEmpty { bytes = received } else { bytes.writeBuffer(&received) }
    }

    /// Removes what is there up to the next end of a request or line, or all if there is none.
    ///
    /// A `;` ends a request wherever it stands, but in a text: the parser knows which, and what it is given next
    /// continues the text.
    mutating func next() -> ByteBuffer? {
        let view = bytes.readableBytesView
        guard !view.isEmpty else { return nil }
        let end = view.firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\n") }
        return bytes.readSlice(length: end.map { $0 - view.startIndex + 1 } ?? view.count)
    }
}
