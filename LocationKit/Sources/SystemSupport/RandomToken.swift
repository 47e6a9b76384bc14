/// Text that nobody guesses.
@_spi(Programs) public enum RandomToken {
    /// 256 bits in hexadecimal digits, by the kernel unless a test gives another generator.
    @_spi(Programs) public static func text() -> String {
        var generator = SystemRandomNumberGenerator()
        return text(using: &generator)
    }

    @_spi(Programs) public static func text(using generator: inout some RandomNumberGenerator) -> String {
        (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
