import HTTPRequests
@_spi(Programs) import LocationModel

/// A query to the service.
struct OnlineQuery: Sendable {
    enum Subject: Sendable {
        case position(Coordinate)
        case name(String, limit: Int)
    }

    let subject: Subject
    /// A language tag.
    let language: String

    init(_ subject: Subject, locale: String?) {
        self.subject = subject
        language = locale.flatMap { $0.isEmpty ? nil : $0.replacing("_", with: "-") } ?? "en"
    }

    /// Queries with the same answer have the same key: positions in one square of 1e-4 degrees, names that differ only
    /// in case or blanks.
    var key: String {
        switch subject {
        case .position(let coordinate):
            let longitude = Self.rounded(coordinate.longitude, 10_000)
            // Both longitudes are the same meridian.
            let east = longitude == -1_800_000 ? 1_800_000 : longitude
            return "at \(Self.rounded(coordinate.latitude, 10_000)) \(east) \(language.lowercased())"
        case .name(let text, let limit):
            let words = text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return "named \(limit) \(language.lowercased()) \(words)"
        }
    }

    private static func rounded(_ degrees: Double, _ scale: Double) -> Int {
        Int((degrees * scale).rounded())
    }

    /// The path and query of the request, relative to the service's URL.
    func path(for provider: OnlineSettings.Provider, inLanguage: Bool = true) -> String {
        var items: [(name: String, value: String)]
        switch (provider, subject) {
        case (.nominatim, .position(let coordinate)):
            items = [("format", "jsonv2"), ("addressdetails", "1")] + Self.items(coordinate)
        case (.nominatim, .name(let text, let limit)):
            items = [("format", "jsonv2"), ("addressdetails", "1"), ("q", text), ("limit", "\(limit)")]
        case (.photon, .position(let coordinate)): items = Self.items(coordinate)
        case (.photon, .name(let text, let limit)): items = [("q", text), ("limit", "\(limit)")]
        }
        switch provider {
        case .nominatim: items.append(("accept-language", language))
        case .photon: if inLanguage { items.append(("lang", photonLanguage)) }
        }
        let query = FormEncoding.text(of: items)
        return switch (provider, subject) {
        case (_, .position): "/reverse?\(query)"
        case (.nominatim, .name): "/search?\(query)"
        case (.photon, .name): "/api?\(query)"
        }
    }

    /// The language without region, because Photon knows no others.
    var photonLanguage: String {
        language.prefix { $0 != "-" }.lowercased()
    }

    private static func items(_ coordinate: Coordinate) -> [(name: String, value: String)] {
        [("lat", decimal(coordinate.latitude)), ("lon", decimal(coordinate.longitude))]
    }

    /// Rounds to five decimals, about a metre: no finer position leaves the machine.
    static func decimal(_ degrees: Double) -> String {
        let number = rounded(degrees, 100_000)
        let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: 100_000)
        let decimals = String(100_000 + rest).dropFirst()
        return "\(number < 0 ? "-" : "")\(whole).\(decimals)"
    }
}
