internal import Foundation

/// Names as they are compared: without case, marks and punctuation. `geodata/folding.py` does the same.
package enum FoldedName {
    /// Letters that carry their mark inside them, and those that lose their case in two ways.
    private static let plain: [Unicode.Scalar: String] = [
        "ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae",
        "œ": "oe",
    ]
    private static let dropped: Set<Unicode.Scalar> = ["'", "’", "‘", "ʼ", "ʻ", "ʹ", "`", "´"]

    /// Small letters; what is between them and is neither letter nor digit is one space.
    package static func of(_ name: some StringProtocol) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in name.decomposedStringWithCompatibilityMapping.unicodeScalars where !isSilent(scalar) {
            guard isWritten(scalar) else {
                if folded.last != " ", !folded.isEmpty { folded.append(" ") }
                continue
            }
            // One by one: a whole word's small letters would depend on where a letter stands.
            for small in scalar.properties.lowercaseMapping.unicodeScalars where !isSilent(small) {
                folded.append(contentsOf: plain[small]?.unicodeScalars ?? String(small).unicodeScalars)
            }
        }
        if folded.last == " " { folded.removeLast() }
        return String(folded)
    }

    private static func isSilent(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.canonicalCombiningClass != .notReordered || dropped.contains(scalar)
    }

    /// Whether it is a letter, a mark of its own width or a digit.
    private static func isWritten(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        case .decimalNumber, .letterNumber, .otherNumber: true
        default: false
        }
    }
}
