/// A line of a screen: text in tones, made harmless on its way in and never wider than it is told to be.
struct ScreenLine: Equatable {
    /// What a text means; the style decides what that looks like.
    enum Tone {
        case plain, strong, faint, good, warning, bad
    }

    private struct Piece: Equatable {
        var text: String
        var tone: Tone
    }

    let style: ScreenStyle
    private var pieces: [Piece] = []
    /// Columns it takes.
    private(set) var width = 0

    init(_ style: ScreenStyle) {
        self.style = style
    }

    /// What it says, without tones.
    var text: String { pieces.map(\.text).joined() }

    /// - Parameter columns: fills up, or cuts off, to so many columns; `nil` for as many as it takes.
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

    /// Cuts off what is beyond so many columns, with a mark that something is.
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

    /// What is sent to the terminal. (ECMA-48, Select Graphic Rendition.)
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
