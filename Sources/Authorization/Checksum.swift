/// CRC-32C (Castagnoli), as RFC 3720 appendix B.4 defines it: it tells every change of one bit, and every burst of
/// up to 32.
enum Checksum {
    /// What each byte makes of the rest of the division.
    private static let steps: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0x82F6_3B78 : 0) }
    }

    static func crc32c(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var rest: UInt32 = ~0
        for byte in bytes { rest = rest >> 8 ^ steps[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
        return ~rest
    }

    /// Eight hexadecimal digits in lower case.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = String(crc32c(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
