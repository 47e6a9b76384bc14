/// Names and values as the query of a URL, or the body of a form, has them.
package enum FormEncoding {
    /// - Parameter items: only the values are encoded.
    package static func text(of items: [(name: String, value: String)]) -> String {
        items.map { "\($0.name)=\(percentEncoded($0.value))" }.joined(separator: "&")
    }

    /// Everything but the unreserved characters of RFC 3986, section 2.3, is encoded.
    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~".utf8.contains(byte)
                }
            guard !isPlain else { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
