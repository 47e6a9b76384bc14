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

extension ManualPage {
    /// What is wrong with the options it lists, beside the help text of the program, which must be wide enough for one
    /// line each.
    package func mistakes(aboutFlagsInHelp help: String) -> [String] {
        let flags = ListedFlag.all(inHelp: help)
        let listed = items(under: "OPTIONS").compactMap { item in
            item.words(after: "Fl")?.first.map { ListedFlag(name: "-\($0)", hasValue: item.head.contains(" Ar ")) }
        }
        return flags.filter { !listed.contains($0) }.map { "\($0.name) is not listed as it is" }
            + listed.filter { !flags.contains($0) }.map { "\($0.name) is listed as it is not" }
            + (listed.count == flags.count ? [] : ["an option is listed twice"])
    }
}
