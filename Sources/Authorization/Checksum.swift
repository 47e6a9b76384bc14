/// CRC-32C (Castagnoli), as RFC 3720 appendix B.4 defines it: it tells every change of one bit, and every burst of
/// up to 32.
enum Checksum {
    static func crc32c(_ bytes: some Sequence<UInt8>) -> UInt32 {
        let polynomial: UInt32 = 0x82F6_3B78
        return ~bytes.reduce(~0) { rest, byte in
            (0..<8).reduce(rest ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? polynomial : 0) }
        }
    }

    /// Eight hexadecimal digits in lower case.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = String(crc32c(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
