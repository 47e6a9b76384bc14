import FoundationEssentials

/// The content of a file of the state directory: JSON with a version.
protocol SavedFile: Codable, Equatable, Sendable {
    static var currentVersion: Int { get }
    var version: Int { get }
    /// - Throws: a `DecodingError` if a decoded value is impossible.
    func check() throws
    /// - Throws: an `EncodingError` if a number is not finite.
    func encoded() throws -> [UInt8]
}

extension SavedFile {
    func check() throws {}

    /// - Throws: a `DecodingError` if the bytes are no such file, or of a later version.
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
