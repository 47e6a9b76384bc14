/// Which signs and colours a terminal is shown.
struct ScreenStyle: Sendable, Equatable {
    /// Only ASCII may be used.
    var isASCII = false
    /// Colours, bold and faint letters may be used.
    var isColoured = true

    /// That of a file.
    static let plain = ScreenStyle(isColoured: false)

    /// A text as it may be shown: what could steer the terminal or break the line becomes visible as `\u{…}`.
    func shown(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default:
                if isASCII, !scalar.isASCII {
                    shown.append(contentsOf: (Self.substitutes[scalar] ?? "?").unicodeScalars)
                } else {
                    shown.append(scalar)
                }
            }
        }
        return String(shown)
    }

    private static let substitutes: [Unicode.Scalar: String] = [
        "°": " deg", "±": "+/-", "–": "-", "…": "...", "·": ".", "─": "-", "●": "*", "○": "o",
    ]

    /// A bar of at most `columns` columns; ``ScreenLine`` fills up the rest.
    ///
    /// - Parameter share: how full it is, 0...1.
    func bar(_ share: Double, columns: Int) -> String {
        let eighths = Int((max(0, min(1, share)) * Double(columns * 8)).rounded())
        guard !isASCII else { return String(repeating: "#", count: (eighths + 4) / 8) }
        let rest = eighths % 8 == 0 ? "" : String(Self.eighths[eighths % 8 - 1])
        return String(repeating: "█", count: eighths / 8) + rest
    }

    private static let eighths = Array("▏▎▍▌▋▊▉")
}
