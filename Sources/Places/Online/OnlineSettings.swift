/// Which service on the network is asked for places, and how.
///
/// A value of this type is always usable; there is no default for whom to ask.
package struct OnlineSettings: Sendable, Hashable {
    /// Whose interface the service speaks.
    package enum Provider: String, Sendable, Hashable, CaseIterable {
        case nominatim, photon
    }

    /// `nominatim` or `photon`.
    package let provider: Provider
    /// Where the service is, such as `https://nominatim.example.org`, perhaps with a path, which stands before `/reverse`;
    /// `https` or `http`. Coordinates and names that are asked for go there, rounded to 5 decimals (1 m).
    package let url: String
    /// How its operator can reach you, an e-mail address or a web page; it is sent with every request, as the public
    /// services demand.
    package let contact: String
    /// Requests a second at most, 0.001...100. One is under way at a time in any case.
    package let rate: Double
    /// Seconds until a request is given up, 1...300.
    package let timeout: Double
    /// The file answers are kept in; `nil` keeps none. It tells where places were asked for: only its owner may read it.
    package let cachePath: String?
    /// Seconds for which an answer is kept, 0...10 years. That nothing is known of a place is kept for a day at most.
    package let cacheExpiry: Double
    /// How many answers are kept, 1...10,000,000; the one that was used longest ago goes first.
    package let cacheSize: Int

    /// - Throws: which value will not do, and why.
    package init(
        provider: Provider, url: String, contact: String, rate: Double = 1, timeout: Double = 10,
        cachePath: String? = nil, cacheExpiry: Double = 30 * 86_400, cacheSize: Int = 10_000
    ) throws(Invalid) {
        self.provider = provider
        self.url = try Self.base(of: url)
        self.contact = try Self.checked(contact: contact)
        self.rate = try Self.checked(rate, within: 0.001...100, .rate, "requests a second")
        self.timeout = try Self.checked(timeout, within: 1...300, .timeout, "seconds")
        guard cachePath?.hasPrefix("/") != false, cachePath?.contains("\0") != true else {
            throw Invalid(.cachePath, "give a path that begins with /")
        }
        self.cachePath = cachePath
        self.cacheExpiry = try Self.checked(cacheExpiry, within: 0...3650 * 86_400, .cacheExpiry, "seconds")
        guard (1...10_000_000).contains(cacheSize) else {
            throw Invalid(.cacheSize, "give a number of answers from 1 to 10000000")
        }
        self.cacheSize = cacheSize
    }

    /// A value that will not do.
    package struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        package enum Value: String, Sendable {
            case url, contact, rate, timeout, cachePath, cacheExpiry, cacheSize
        }

        /// Which one.
        package let value: Value
        /// What to do about it.
        package let remedy: String

        init(_ value: Value, _ remedy: String) {
            self.value = value
            self.remedy = remedy
        }

        package var description: String { "\(value): \(remedy)" }
    }

    private static func checked(
        _ number: Double, within range: ClosedRange<Double>, _ value: Invalid.Value, _ unit: String
    ) throws(Invalid) -> Double {
        guard range.contains(number) else {
            throw Invalid(value, "give \(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
