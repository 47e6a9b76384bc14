import FoundationEssentials
import LocationInterface

/// A record as a line of the file: one JSON object, in which line breaks are escaped.
extension HistoryRecord {
    /// The longest line that is written or read, bytes without its end. A purpose of 256 bytes, each of them escaped
    /// for people and again for JSON, has room.
    static let longestLine = 8192

    /// The line without its end; too long a purpose is left out.
    ///
    /// - Returns: `nil` if it is too long all the same.
    var line: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return nil }
        if data.count <= Self.longestLine { return Array(data) }
        guard purpose != nil else { return nil }
        var shorter = self
        shorter.purpose = nil
        return shorter.line
    }

    /// - Returns: `nil` if the line is no record: torn by a power loss, or nothing of ours.
    init?(line: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
        self = record
    }

    /// True for what must not be lost with the power.
    var isDecision: Bool { event == .granted || event == .revoked }
}
