/// Text as XML 1.0 allows it in an element or a quoted attribute.
///
/// Characters that XML cannot hold at all become U+FFFD; tab and line ends are kept as references, which no parser
/// normalizes away.
func xmlEscaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x26: escaped += "&amp;"
        case 0x3C: escaped += "&lt;"
        case 0x3E: escaped += "&gt;"
        case 0x22: escaped += "&quot;"
        case 0x27: escaped += "&apos;"
        case 0x09, 0x0A, 0x0D: escaped += "&#\(scalar.value);"
        case 0..<0x20, 0xFFFE, 0xFFFF: escaped += "\u{FFFD}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// `<name>text</name>` with the text escaped; `nil` without text.
func xmlElement(_ name: String, _ text: String?) -> String? {
    text.map { "<\(name)>\(xmlEscaped($0))</\(name)>" }
}
