package import NIOCore

/// The bytes of a message, which many connections may share.
package struct EncodedMessage: Sendable {
    package let buffer: ByteBuffer

    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    package init(_ text: String) { buffer = ByteBuffer(string: text) }

    /// Several messages, one after the other, to be sent in one write.
    package init(joining messages: [EncodedMessage]) {
        var joined = ByteBuffer()
        joined.reserveCapacity(messages.reduce(0) { $0 + $1.buffer.readableBytes })
        for message in messages { joined.writeImmutableBuffer(message.buffer) }
        buffer = joined
    }
}
