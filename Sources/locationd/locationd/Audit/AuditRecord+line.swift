import FoundationEssentials
@_spi(Programs) import LocationInterface

/// A record as a line of the file: one JSON object, in which line breaks are escaped.
extension AuditRecord {
    /// The longest line that is written or read, bytes without the newline. It has room for a purpose of 256 bytes,
    /// each escaped for display and again for JSON.
    static let longestLine = 8192

    /// The line without its newline; a purpose that is too long is left out.
    ///
    /// - Returns: `nil` if it is still too long.
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

    /// - Returns: `nil` if the line is no record: torn by a power failure, or written by something else.
    init?(line: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
        self = record
    }

    /// True for a record that must survive a power failure.
    var isDecision: Bool { event == .granted || event == .revoked || event == .ended }
}
