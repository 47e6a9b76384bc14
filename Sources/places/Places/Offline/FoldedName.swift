internal import Foundation

/// Folds names for comparison: removes case, marks and punctuation. `geodata/folding.py` does the same.
package enum FoldedName {
    /// Letters that Unicode does not decompose, and those whose case folding has a special form.
    private static let plain: [Unicode.Scalar: String] = [
        "ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae",
        "œ": "oe",
    ]
    private static let dropped: Set<Unicode.Scalar> = ["'", "’", "‘", "ʼ", "ʻ", "ʹ", "`", "´"]

    /// The name in lower case; each run of characters that are neither letters nor digits becomes one space.
    package static func of(_ name: some StringProtocol) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in name.decomposedStringWithCompatibilityMapping.unicodeScalars where !isSilent(scalar) {
            guard isWritten(scalar) else {
                if folded.last != " ", !folded.isEmpty { folded.append(" ") }
                continue
            }
            // By scalar, because the lower case of a letter in a word can depend on its position.
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

    /// Whether it is a letter, a spacing mark or a digit.
    private static func isWritten(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        case .decimalNumber, .letterNumber, .otherNumber: true
        default: false
        }
    }
}
