/// A flag as a help text of ArgumentParser lists it.
package struct ListedFlag: Equatable {
    /// The long name, with its dashes.
    package let name: String
    /// Whether a value follows.
    package let hasValue: Bool

    /// The flags of a help text, which must be wide enough for one line each.
    package static func all(inHelp text: String) -> [ListedFlag] {
        text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("  -") else { return nil }
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(where: { $0.hasPrefix("--") }) else { return nil }
            return ListedFlag(
                name: String(words[index]), hasValue: words.dropFirst(index + 1).first?.hasPrefix("<") == true)
        }
    }
}
