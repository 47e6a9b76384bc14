/// The address of an access point's radio (its BSSID): six bytes, the first of which says what kind of address it is.
package struct HardwareAddress: Sendable, Hashable {
    /// The six bytes, the first sent as the most significant.
    package let value: UInt64

    package init(value: UInt64) { self.value = value & 0xFFFF_FFFF_FFFF }

    /// - Parameter text: six bytes in hexadecimal digits, with a colon between each two, such as `00:1a:2b:3c:4d:5e`.
    /// - Returns: `nil` if it is none.
    package init?(_ text: some StringProtocol) {
        var (value, count) = (UInt64(0), 0)
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            guard part.utf8.count == 2, part.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let byte = UInt8(part, radix: 16)
            else { return nil }
            (value, count) = (value << 8 | UInt64(byte), count + 1)
            guard count <= 6 else { return nil }
        }
        guard count == 6 else { return nil }
        self.value = value
    }

    /// As ``init(_:)`` reads it.
    package var text: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
    }

    /// The six bytes in the order in which they are sent.
    package var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (40 - 8 * $0)) } }

    /// Whether it names one radio for good: neither a group (bit 0 of the first byte), nor chosen by a program at hand,
    /// as telephones do for a hotspot (bit 1, "locally administered"; IEEE 802, clause 8), nor nothing but zeros.
    package var isPermanent: Bool { value != 0 && value >> 40 & 0b11 == 0 }

    /// What the radios of one device have in common: their makers count the last byte up for each band and network.
    package var device: UInt64 { value >> 8 }
}
