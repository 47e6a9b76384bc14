import FoundationEssentials

/// The table as a file:
/// `{"checksum":"e3069283","entries":{"uid:1000":{"decision":{…},"request":{…}}},"version":1}`.
///
/// The checksum is over the bytes after its own member (from the quotation mark of the next key to the end), as they
/// stand on the disk: no byte that has changed there decides anything, and no later encoder of JSON has to repeat
/// what an earlier one wrote.
extension DecisionTable {
    /// The longest file, bytes.
    package static let byteLimit = 1_048_576

    package struct CodingFailure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: that the table is too large, or has something in it that could not be read again.
    package func encoded() throws(CodingFailure) -> [UInt8] {
        let bytes = try Self.sealed(encodedContent())
        guard bytes.count <= Self.byteLimit else {
            throw CodingFailure(
                description: "they would take \(bytes.count) bytes of the \(Self.byteLimit) there are; "
                    + "`locctl reset-authorization` makes room")
        }
        // What cannot be read again would have everybody refused from the next start on.
        _ = try DecisionTable(decoding: bytes)
        return bytes
    }

    /// - Throws: why the bytes are no table, in words that name nobody: everyone who is refused reads them.
    package init(decoding bytes: [UInt8]) throws(CodingFailure) {
        guard !bytes.isEmpty else { throw CodingFailure(description: "the file is empty") }
        guard bytes.count <= Self.byteLimit else {
            throw CodingFailure(description: "the file is longer than \(Self.byteLimit) bytes")
        }
        guard let content = Checksum.unsealed(bytes) else {
            throw CodingFailure(description: "its checksum is not that of its entries")
        }
        let file: StoredTable
        do {
            file = try JSONDecoder().decode(StoredTable.self, from: Data(content))
        } catch {
            throw CodingFailure(description: StoredTable.words(for: error))
        }
        self.init(entries: file.entries)
    }

    /// Puts the checksum before what follows it in the file.
    static func sealed(_ content: [UInt8]) -> [UInt8] { Checksum.sealed(content) }

    private func encodedContent() throws(CodingFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try Array(encoder.encode(StoredTable(entries: entries)).dropFirst())
        } catch {
            throw CodingFailure(description: StoredTable.words(for: error))
        }
    }
}
