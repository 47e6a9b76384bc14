import HTTPRequests

/// The network service for places, and how to use it.
///
/// A value of this type is always valid; there is no default service.
package struct OnlineSettings: Sendable, Hashable {
    /// The interface that the service implements.
    package enum Provider: String, Sendable, Hashable, CaseIterable {
        case nominatim, photon
    }

    /// `nominatim` or `photon`.
    package let provider: Provider
    /// The service's URL, such as `https://nominatim.example.org`, optionally with a path that precedes `/reverse`;
    /// `https` or `http`. Queried coordinates, rounded to 5 decimals (1 m), and names are sent there.
    package let url: String
    /// How the service's operator can reach you, an e-mail address or a web page; it is sent with every request, as the
    /// public services require.
    package let contact: String
    /// The most requests a second, 0.001...100. Only one is in progress at a time in any case.
    package let rate: Double
    /// The time-out of a request, seconds, 1...300.
    package let timeout: Double
    /// The file of the answer cache; `nil` for no cache. It shows which places were queried: only its owner may read
    /// it.
    package let cachePath: String?
    /// Seconds for which an answer is kept, 0...10 years. An empty answer is kept for a day at most.
    package let cacheExpiry: Double
    /// The most answers kept, 1...10,000,000; the least recently used is removed first.
    package let cacheSize: Int

    /// - Throws: which value is invalid, and why.
    package init(
        provider: Provider, url: String, contact: String, rate: Double = 1, timeout: Double = 10,
        cachePath: String? = nil, cacheExpiry: Double = 30 * 86_400, cacheSize: Int = 10_000
    ) throws(Invalid) {
        self.provider = provider
        do throws(ServiceAddress.Invalid) {
            self.url = try ServiceAddress.base(of: url)
        } catch {
            throw Invalid(.url, error.remedy)
        }
        do throws(ServiceAddress.Invalid) {
            self.contact = try ServiceAddress.checked(contact: contact)
        } catch {
            throw Invalid(.contact, error.remedy)
        }
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

    /// An invalid value.
    package struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        package enum Value: String, Sendable {
            case url, contact, rate, timeout, cachePath, cacheExpiry, cacheSize
        }

        /// The invalid setting.
        package let value: Value
        /// The remedy.
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
