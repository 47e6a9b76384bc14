@_spi(Programs) import LocationModel

/// The entries as JSON. Decoding rejects everything that would be dropped or guessed.
struct StoredTable: Codable {
    static let currentVersion = 1

    var entries: [Subject: DecisionEntry]

    private enum CodingKeys: CodingKey, CaseIterable { case entries, version }

    init(entries: [Subject: DecisionEntry]) {
        self.entries = entries
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.currentVersion, forKey: .version)
        let texts = entries.map { ($0.key.description, $0.value) }
        try container.encode(Dictionary(texts) { first, _ in first }, forKey: .entries)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Checked first, because a later version may differ in everything else.
        guard try container.decode(Int.self, forKey: .version) == Self.currentVersion else {
            throw Refusal("it is of a later locationd")
        }
        try decoder.refuseOthers(than: ["entries", "version"])
        entries = [:]
        for (text, stored) in try container.decode([String: Entry].self, forKey: .entries) {
            // Another spelling of a number would make a second entry for the same subject.
            guard let subject = Subject(text), subject.description == text else {
                throw Refusal("an entry is about neither uid:N nor unit:NAME.service")
            }
            entries[subject] = stored.entry
        }
    }

    private struct Entry: Decodable {
        let entry: DecisionEntry

        private enum CodingKeys: CodingKey { case request, decision, temporary }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOthers(than: ["request", "decision", "temporary"])
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if container.contains(.request) {
                try container.superDecoder(forKey: .request).refuseOthers(than: [
                    "fullAccuracy", "level", "purpose", "time",
                ])
            }
            if container.contains(.decision) {
                try container.superDecoder(forKey: .decision).refuseOthers(than: Self.decisionNames)
            }
            if container.contains(.temporary) {
                let temporary = try container.superDecoder(forKey: .temporary)
                try temporary.refuseOthers(than: ["decision", "term"])
                let parts = try temporary.container(keyedBy: AnyKey.self)
                try parts.superDecoder(forKey: AnyKey(stringValue: "decision")).refuseOthers(than: Self.decisionNames)
                try parts.superDecoder(forKey: AnyKey(stringValue: "term")).refuseOthers(than: [
                    "deadline", "duration", "until",
                ])
            }
            entry = try DecisionEntry(from: decoder).toTheMillisecond
            guard entry != DecisionEntry() else { throw Refusal("an entry is empty") }
            guard entry.decision?.accuracy != .unknown, entry.temporary?.decision.accuracy != .unknown else {
                throw Refusal("a decision has an unknown accuracy")
            }
            guard entry.request?.fullAccuracy != false else { throw Refusal("`fullAccuracy` is true or absent") }
            if let term = entry.temporary?.term, !(term.duration > 0 && term.duration <= Term.limit) {
                throw Refusal("a term is no longer than a year")
            }
        }

        private static let decisionNames: Set<String> = ["account", "answer", "accuracy", "by", "time"]
    }

    private struct Refusal: Error {
        let words: String

        init(_ words: String) {
            self.words = words
        }
    }

    /// Describes the error without the names of subjects.
    static func words(for error: any Error) -> String {
        func last(_ path: [any CodingKey]) -> String { path.last.map { "`\($0.stringValue)`" } ?? "the whole" }
        return switch error {
        case let refusal as Refusal: refusal.words
        case DecodingError.keyNotFound(let key, _): "`\(key.stringValue)` is missing"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty,
            DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.codingPath.last.flatMap { Subject($0.stringValue) } == nil
                ? "\(last(context.codingPath)) is invalid" : "an entry is invalid"
        default: "it is not JSON"
        }
    }
}

extension Decoder {
    /// - Throws: if there is a member of another name, which would be ignored.
    fileprivate func refuseOthers(than names: Set<String>) throws {
        for key in try container(keyedBy: AnyKey.self).allKeys where !names.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [AnyKey(stringValue: "unknown member")], debugDescription: key.stringValue))
        }
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// CRC-32C (Castagnoli), as RFC 3720 appendix B.4 defines it: it detects every change of one bit, and every burst of up
/// to 32.
///
/// A JSON file carries it as its first member, over the bytes after that member (from the quotation mark of the next
/// key to the end), as they are on the disk.
package enum Checksum {
    /// The remainder of the division for each byte.
    private static let steps: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0x82F6_3B78 : 0) }
    }

    static func crc32c(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var rest: UInt32 = ~0
        for byte in bytes { rest = rest >> 8 ^ steps[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
        return ~rest
    }

    /// Prepends the checksum to the rest of a JSON object, given without its opening brace.
    package static func sealed(_ content: [UInt8]) -> [UInt8] { seal(of: content[...]) + content }

    /// - Returns: the JSON object that was sealed, or `nil` if the checksum does not match.
    package static func unsealed(_ bytes: [UInt8]) -> [UInt8]? {
        let content = bytes.dropFirst(seal(of: []).count)
        return bytes.starts(with: seal(of: content)) ? [UInt8(ascii: "{")] + content : nil
    }

    /// The first bytes of every sealed file.
    package static let beginning = Array(#"{"checksum":"#.utf8)

    private static func seal(of content: ArraySlice<UInt8>) -> [UInt8] {
        beginning + Array(#""\#(text(of: content))","#.utf8)
    }

    /// Eight hexadecimal digits in lower case.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = String(crc32c(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
