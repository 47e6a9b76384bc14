import NIOCore

/// Fills answers up to a few lengths.
///
/// Every user of this machine may ask the kernel how many bytes any TCP connection has received (sock_diag(7)): the
/// length of each answer would tell the number of digits of speed and course, and the number of satellites. So the
/// length on the wire, with the framing of HTTP, is that of one block or of several large ones, whatever the numbers in
/// it.
enum AnswerPadding {
    /// Bytes: a location with all that is known of it takes 300 to 700, and one with satellites up to 4000.
    static let (block, largeBlock) = (1024, 4096)

    /// Server-sent events with a comment after them.
    ///
    /// - Parameter isChunked: whether they are sent as one chunk of HTTP/1.1 (RFC 9112, 7.1).
    static func pad(_ events: inout ByteBuffer, isChunked: Bool) {
        let count = events.readableBytes
        var size = block
        while true {
            let content = isChunked ? chunkContent(of: size) : size
            if content == count { return }
            // The shortest comment is a colon and the two line ends that end the event before it.
            if content >= count + 3 {
                events.writeString(":")
                events.writeRepeatingByte(UInt8(ascii: " "), count: content - count - 3)
                return _ = events.writeString("\n\n")
            }
            size = size == block ? largeBlock : size + largeBlock
        }
    }

    /// JSON with blanks after it, which belong to no value (RFC 8259, 2).
    static func padded(_ json: [UInt8]) -> [UInt8] {
        let size = json.count <= block ? block : (json.count + largeBlock - 1) / largeBlock * largeBlock
        return json + repeatElement(UInt8(ascii: " "), count: size - json.count)
    }

    /// The bytes in a chunk that takes `size` bytes with its length and its two line ends.
    private static func chunkContent(of size: Int) -> Int {
        var digits = 1
        while size - 4 - digits >= 1 << (4 * digits) { digits += 1 }
        return size - 4 - digits
    }
}
