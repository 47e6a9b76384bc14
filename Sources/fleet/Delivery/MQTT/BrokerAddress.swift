/// Where a broker is: `mqtt://HOST`, `mqtt://HOST:PORT`, or `mqtts://` with TLS.
package struct BrokerAddress: Sendable, Equatable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    package let usesTLS: Bool

    /// Which addresses there are, in words.
    package static let accepted =
        "mqtt://HOST:PORT, or mqtts://HOST:PORT with TLS; without a port it is 1883, or 8883 with TLS"

    /// - Returns: `nil` if the text is no address. User name, path and query are not accepted.
    package init?(_ text: String) {
        let lower = text.lowercased()
        let rest: Substring
        if lower.hasPrefix("mqtt://") {
            (usesTLS, rest) = (false, text.dropFirst(7))
        } else if lower.hasPrefix("mqtts://") {
            (usesTLS, rest) = (true, text.dropFirst(8))
        } else {
            return nil
        }
        var (name, number): (Substring, Substring?) = (rest, nil)
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            name = rest[rest.index(after: rest.startIndex)..<end]
            let tail = rest[rest.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":"), name.contains(":") else { return nil }
            if !tail.isEmpty { number = tail.dropFirst() }
        } else if let colon = rest.firstIndex(of: ":") {
            (name, number) = (rest[..<colon], rest[rest.index(after: colon)...])
        }
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(Self.isOfHost) else { return nil }
        host = String(name)
        if let number {
            guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt16(number), value > 0 else {
                return nil
            }
            port = value
        } else {
            port = usesTLS ? 8883 : 1883
        }
    }

    package var description: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: ".-_:%".utf8.contains(byte)
        }
    }
}
