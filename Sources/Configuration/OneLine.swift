extension StringProtocol {
    /// The same text with all that could end the line or steer a terminal made visible as `\u{…}`.
    package var onOneLine: String {
        var line = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// The text between quotes, on one line, cut where it is too long to be read in a message.
    var quoted: String {
        let limit = 64
        return count > limit ? "\"\(prefix(limit).onOneLine)…\"" : "\"\(onOneLine)\""
    }
}
