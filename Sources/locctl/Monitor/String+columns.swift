extension Character {
    /// Columns of a terminal it takes: two for the wide scripts and pictures, else one.
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
    /// Columns of a terminal it takes.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// As much of its beginning as fits.
    func prefix(columns: Int) -> String {
        var left = columns
        return String(
            prefix { character in
                left -= character.columns
                return left >= 0
            })
    }

    /// Spaces before it up to so many columns.
    func paddedLeft(_ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - self.columns)) + self
    }

    /// Its words on lines of so many columns; a word that is longer than a line is cut by whoever shows it.
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
