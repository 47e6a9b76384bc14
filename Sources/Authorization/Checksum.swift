/// CRC-32C (Castagnoli), as RFC 3720 appendix B.4 defines it: it tells every change of one bit, and every burst of
/// up to 32.
///
/// A file of JSON carries it as its first member, over the bytes after that member (from the quotation mark of the next key to
/// the end), as they stand on the disk.
package enum Checksum {
    /// What each byte makes of the rest of the division.
    private static let steps: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0x82F6_3B78 : 0) }
    }

    static func crc32c(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var rest: UInt32 = ~0
        for byte in bytes { rest = rest >> 8 ^ steps[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
        return ~rest
    }

    /// Puts the checksum before the rest of a JSON object, given without its first brace.
    package static func sealed(_ content: [UInt8]) -> [UInt8] { seal(of: content[...]) + content }

    /// - Returns: the JSON object that was sealed, or `nil` if the checksum is not that of what follows it.
    package static func unsealed(_ bytes: [UInt8]) -> [UInt8]? {
        let content = bytes.dropFirst(seal(of: []).count)
        return bytes.starts(with: seal(of: content)) ? [UInt8(ascii: "{")] + content : nil
    }

    /// How every sealed file begins.
    package static let beginning = Array(#"{"checksum":"#.utf8)

    private static func seal(of content: ArraySlice<UInt8>) -> [UInt8] {
        beginning + Array(#""\#(text(of: content))","#.utf8)
    }

    /// Eight hexadecimal digits in lower case.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = String(crc32c(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
