import FoundationEssentials
@_spi(Programs) import LocationModel

/// A coding key with any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<AnyKey> {
    /// The maximum length of a text, bytes: texts are displayed, and longer ones are ignored.
    private static var longestText: Int { 1000 }

    /// A displayable text; `nil` if it is missing, or if the value is not a text.
    func text(_ name: String) -> String? {
        guard let text = try? decode(String.self, forKey: AnyKey(name)) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard isPlain, !words.isEmpty, text.utf8.count <= Self.longestText else { return nil }
        return words.joined(separator: " ")
    }

    /// The first text that is present.
    func text(_ names: String...) -> String? {
        names.lazy.compactMap { text($0) }.first
    }

    /// A number, also if it is encoded as a text.
    func number(_ name: String) -> Double? {
        let key = AnyKey(name)
        return (try? decode(Double.self, forKey: key)) ?? (try? decode(String.self, forKey: key)).flatMap { Double($0) }
    }

    func object(_ name: String) -> Self? {
        try? nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(name))
    }
}
