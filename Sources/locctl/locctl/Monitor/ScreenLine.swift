/// A line of the screen: text in tones, escaped when it is added, with a known width.
struct ScreenLine: Equatable {
    /// The meaning of a text; the style decides how it looks.
    enum Tone {
        case plain, strong, faint, good, warning, bad
    }

    private struct Piece: Equatable {
        var text: String
        var tone: Tone
    }

    let style: ScreenStyle
    private var pieces: [Piece] = []
    /// The width in columns.
    private(set) var width = 0

    init(_ style: ScreenStyle) {
        self.style = style
    }

    /// The text without tones.
    var text: String { pieces.map(\.text).joined() }

    /// - Parameter columns: pads or clips to so many columns; `nil` for the width of the text.
    mutating func add(_ text: String, _ tone: Tone = .plain, columns: Int? = nil) {
        let shown = style.shown(text)
        append(shown, tone)
        guard let columns else { return }
        let surplus = shown.columns - columns
        if surplus > 0 { clip(to: width - surplus) } else { pad(to: width - surplus) }
    }

    mutating func add(_ other: ScreenLine) {
        for piece in other.pieces { append(piece.text, piece.tone) }
    }

    mutating func pad(to columns: Int) {
        if columns > width { append(String(repeating: " ", count: columns - width), .plain) }
    }

    /// Clips to so many columns, with a mark if anything is cut off.
    mutating func clip(to columns: Int) {
        guard width > columns else { return }
        let mark = style.shown("…")
        var left = columns - mark.columns
        let all = pieces
        (pieces, width) = ([], 0)
        for piece in all where left > 0 {
            let start = piece.text.prefix(columns: left)
            append(start, piece.tone)
            left = start.count == piece.text.count ? left - start.columns : 0
        }
        append(String(mark.prefix(columns: max(0, columns - width))), .plain)
    }

    private mutating func append(_ text: String, _ tone: Tone) {
        guard !text.isEmpty else { return }
        width += text.columns
        if pieces.last?.tone == tone {
            pieces[pieces.count - 1].text += text
        } else {
            pieces.append(Piece(text: text, tone: tone))
        }
    }

    /// The bytes for the terminal. (ECMA-48, Select Graphic Rendition.)
    var encoded: String {
        guard style.isColoured else { return text }
        return pieces.map { piece in
            switch piece.tone {
            case .plain: piece.text
            case .strong: "\u{1b}[1m\(piece.text)\u{1b}[0m"
            case .faint: "\u{1b}[2m\(piece.text)\u{1b}[0m"
            case .good: "\u{1b}[32m\(piece.text)\u{1b}[0m"
            case .warning: "\u{1b}[33m\(piece.text)\u{1b}[0m"
            case .bad: "\u{1b}[31m\(piece.text)\u{1b}[0m"
            }
        }.joined()
    }
}

/// The characters and colours to use on a terminal.
struct ScreenStyle: Sendable, Equatable {
    /// Use ASCII only.
    var isASCII = false
    /// Use colours, bold and faint text.
    var isColoured = true

    /// The style for files.
    static let plain = ScreenStyle(isColoured: false)

    /// Escapes what could control the terminal or break the line as `\u{…}`.
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

    /// A bar of at most `columns` columns; ``ScreenLine`` pads the rest.
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

extension Character {
    /// The width on a terminal, in columns: two for wide scripts and pictographs, else one.
    ///
    /// From Unicode's East Asian Width (UAX #11), by blocks.
    var columns: Int {
        guard let first = unicodeScalars.first?.value, first >= 0x1100 else { return 1 }
        return Self.wide.contains { $0.contains(first) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]
}

extension String {
    /// The width on a terminal, in columns.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The longest prefix that fits.
    func prefix(columns: Int) -> String {
        var left = columns
        return String(
            prefix { character in
                left -= character.columns
                return left >= 0
            })
    }

    /// Pads on the left to so many columns.
    func paddedLeft(_ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - self.columns)) + self
    }

    /// Wraps words to so many columns; a word that is longer than a line gets a line of its own.
    func wrapped(columns: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.columns + 1 + String(word).columns <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
