import FoundationEssentials

/// What a file of the state directory holds: JSON of a version.
protocol SavedFile: Codable, Equatable, Sendable {
    static var currentVersion: Int { get }
    var version: Int { get }
    /// - Throws: a `DecodingError` if what was read cannot be.
    func check() throws
    /// - Throws: an `EncodingError` if a number is none.
    func encoded() throws -> [UInt8]
}

extension SavedFile {
    func check() throws {}

    /// - Throws: a `DecodingError` if the bytes are nothing of the kind, or of a later version.
    init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        guard version == Self.currentVersion else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "version \(version) is of a later locationd"))
        }
        try check()
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
