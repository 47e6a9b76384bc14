import LocationModel

/// The entries as JSON. Whatever a reader could not keep, or would have to guess, is refused.
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
        // First of all: a later version may have anything else.
        guard try container.decode(Int.self, forKey: .version) == Self.currentVersion else {
            throw Refusal("it is of a later locationd")
        }
        try decoder.refuseOthers(than: ["entries", "version"])
        entries = [:]
        for (text, stored) in try container.decode([String: Entry].self, forKey: .entries) {
            // A number in another spelling would be a second entry of the same subject.
            guard let subject = Subject(text), subject.description == text else {
                throw Refusal("an entry is about neither uid:N nor unit:NAME.service")
            }
            entries[subject] = stored.entry
        }
    }

    private struct Entry: Decodable {
        let entry: DecisionEntry

        private enum CodingKeys: CodingKey { case request, decision }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOthers(than: ["request", "decision"])
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if container.contains(.request) {
                try container.superDecoder(forKey: .request).refuseOthers(than: ["level", "purpose", "time"])
            }
            if container.contains(.decision) {
                try container.superDecoder(forKey: .decision).refuseOthers(than: [
                    "account", "answer", "accuracy", "by", "time",
                ])
            }
            entry = try DecisionEntry(from: decoder).toTheMillisecond
            guard entry.request != nil || entry.decision != nil else { throw Refusal("an entry says nothing") }
            guard entry.decision?.accuracy != .unknown else { throw Refusal("a decision has an unknown accuracy") }
        }
    }

    private struct Refusal: Error {
        let words: String

        init(_ words: String) {
            self.words = words
        }
    }

    /// What is wrong, without the names of subjects.
    static func words(for error: any Error) -> String {
        func last(_ path: [any CodingKey]) -> String { path.last.map { "`\($0.stringValue)`" } ?? "the whole" }
        return switch error {
        case let refusal as Refusal: refusal.words
        case DecodingError.keyNotFound(let key, _): "`\(key.stringValue)` is missing"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty,
            DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.codingPath.last.flatMap { Subject($0.stringValue) } == nil
                ? "\(last(context.codingPath)) cannot be understood" : "an entry cannot be understood"
        default: "it is no JSON"
        }
    }
}

extension Decoder {
    /// - Throws: that there is a member of another name, which nobody would heed.
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
