/// An address that only programs of this machine reach.
package struct LoopbackAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int

    /// Which addresses there are, in words.
    package static let accepted = "127.0.0.1:PORT, [::1]:PORT or localhost:PORT, with a port from 1 to 65535"

    /// - Returns: `nil` if the text is none, or its host is not of the loopback interface.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        switch text[..<colon] {
        case "127.0.0.1", "localhost": host = "127.0.0.1"
        case "[::1]": host = "::1"
        default: return nil
        }
        self.port = Int(port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension Rule<[LoopbackAddress]> {
    /// Addresses of the loopback interface, none twice.
    package static let loopbackAddresses = Rule(
        accepts: "a list of addresses in quotes: \(LoopbackAddress.accepted)"
    ) { node throws(Refusal) in
        guard case .list(let entries) = node else { throw Refusal(node, isNot: "a list") }
        var addresses: [LoopbackAddress] = []
        for entry in entries {
            guard case .text(let text) = entry.node else {
                throw Refusal("has \(entry.node.typeName) in line \(entry.line), not an address")
            }
            guard let address = LoopbackAddress(text) else {
                throw Refusal(
                    "\(text.quoted) is no address of the loopback interface",
                    remedy: "use \(LoopbackAddress.accepted): programs of other machines could not be identified")
            }
            guard !addresses.contains(address) else {
                throw Refusal("has \(text.quoted) twice", remedy: "remove one of them")
            }
            addresses.append(address)
        }
        return addresses
    } written: {
        "[" + $0.map(\.description.quoted).joined(separator: ", ") + "]"
    }
}
