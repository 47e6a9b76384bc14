package import NIOCore

/// The bytes of a message, which many connections may share.
package struct EncodedMessage: Sendable {
    package let buffer: ByteBuffer

    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    package init(_ text: String) { buffer = ByteBuffer(string: text) }
}
