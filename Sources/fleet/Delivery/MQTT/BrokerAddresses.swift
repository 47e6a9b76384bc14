/// The brokers of one service, such as the nodes of a cluster, any of which will do: one at least. They are tried in
/// turn.
package struct BrokerAddresses: Sendable, Equatable, CustomStringConvertible {
    private let first: BrokerAddress
    private let others: [BrokerAddress]

    /// Which texts there are, in words.
    package static let accepted =
        BrokerAddress.accepted + "; several are separated by commas, all with TLS or all without"

    package init(_ address: BrokerAddress) { (first, others) = (address, []) }

    /// - Returns: `nil` if one of the texts between the commas is no address, or if some are with TLS and others
    ///   without: who can disturb the former would have the password sent in the clear.
    package init?(_ text: String) {
        let texts = text.split(separator: ",", omittingEmptySubsequences: false)
        let addresses = texts.compactMap { BrokerAddress(String($0.drop { $0 == " " })) }
        guard let first = addresses.first, addresses.count == texts.count,
            addresses.allSatisfy({ $0.usesTLS == first.usesTLS })
        else { return nil }
        self.first = first
        others = Array(addresses.dropFirst())
    }

    package var count: Int { 1 + others.count }

    /// The broker of the nth attempt, counted from 0.
    func address(ofAttempt number: Int) -> BrokerAddress {
        let index = number % count
        return index == 0 ? first : others[index - 1]
    }

    package var description: String { ([first] + others).map(\.description).joined(separator: ",") }

    /// The hosts' names.
    package var hosts: String { ([first] + others).map(\.host).joined(separator: ", ") }
}
