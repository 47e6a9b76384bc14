/// What the terminal shows, so that only what differs is written again.
struct TerminalPicture {
    private var shown: [ScreenLine]?
    private var size: (columns: Int, rows: Int) = (0, 0)

    /// The terminal shows something else.
    mutating func forget() {
        shown = nil
    }

    /// What to write, in one piece, so that the terminal shows these lines from its first row on; empty if it does.
    mutating func change(to lines: [ScreenLine], columns: Int, rows: Int) -> String {
        if size != (columns, rows) { shown = nil }
        size = (columns, rows)
        var text = shown == nil ? "\u{1b}[0m\u{1b}[2J" : ""
        for row in 0..<max(lines.count, shown?.count ?? 0) {
            let line = row < lines.count ? lines[row] : nil
            guard shown.map({ row < $0.count ? $0[row] : nil }) != .some(line) || shown == nil else { continue }
            text += "\u{1b}[\(row + 1);1H\(line?.encoded ?? "")"
            // Beyond the last column there is nothing to erase, and some terminals would erase that column.
            if (line?.width ?? 0) < columns { text += "\u{1b}[K" }
        }
        shown = lines
        return text
    }
}
