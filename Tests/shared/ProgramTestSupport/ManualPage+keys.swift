package import ServiceKit

extension ManualPage {
    /// What the page does not say of these keys as the code has it: that each is listed below its table, in their
    /// order, and no other; its default, its range, whether it is required and whether a change waits for the next
    /// start.
    ///
    /// - Parameter isReadAgain: Whether the program reads its configuration again while it runs.
    package func mistakes(about keys: [KeyDocumentation], isReadAgain: Bool = true) -> [String] {
        let entries = items.filter { $0.words(after: "Ic") != nil }
        let listed = entries.map { "\($0.heading) \(($0.words(after: "Ic") ?? []).joined(separator: " "))" }
        let expected = keys.map { key in
            "\(key.heading)\(key.kind.map { " of kind \($0)" } ?? "") \(key.name)"
        }
        guard listed == expected else { return ["lists \(listed), not \(expected)"] }
        return zip(keys, entries).flatMap { key, entry in
            let text = entry.text.joined(separator: "\n").replacing(#"\-"#, with: "-")
            var mistakes: [String] = []
            if let value = key.defaultValue, !text.contains("Default: \(value).") { mistakes.append("default") }
            if text.contains("Required") != key.isRequired { mistakes.append("required or not") }
            if text.contains("the daemon's next start") != (isReadAgain && !key.isReloadable) {
                mistakes.append("next start")
            }
            if let range = key.accepts.firstMatch(of: /from ([-0-9.]+) to ([-0-9.]+)/)?.output, range.2.count < 19,
                !text.contains("\(range.1) to \(range.2)")
            {
                mistakes.append("range")
            }
            return mistakes.map { "\(key.name): \($0)" }
        }
    }
}
