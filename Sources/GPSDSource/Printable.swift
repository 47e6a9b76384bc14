/// What others wrote, fit to be shown: hostile bytes must not steer the administrator's terminal, nor fill the log.
enum Printable {
    /// Of a line that cannot be used, so many bytes are shown.
    static let lineLength = 80
    /// Of a text within a sentence, so many characters are shown.
    static let textLength = 200

    /// The beginning of a line; what is not printable ASCII is `?`.
    static func line(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(lineLength).map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "?" }
        return String(shown) + (bytes.count > lineLength ? "…" : "")
    }

    /// The beginning of a text in any script; control and format characters, and line separators, are `?`.
    static func text(_ text: String) -> String {
        // Nearly all of it, and asked for with each report.
        if text.utf8.count <= textLength, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(textLength) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: shown.append("?")
            default: shown.append(scalar)
            }
        }
        return String(shown) + (text.unicodeScalars.count > textLength ? "…" : "")
    }

    /// Texts in a row.
    static func text(_ texts: [String]) -> String {
        text(texts.joined(separator: ", "))
    }
}
