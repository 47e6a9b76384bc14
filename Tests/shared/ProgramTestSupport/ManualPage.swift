import Foundation

/// A manual page as its source says it: what it lists, and under which heading.
package struct ManualPage {
    /// One item of a list.
    package struct Item: Sendable {
        /// The nearest heading above it.
        package let heading: String
        /// What stands after `.It`, macros included.
        package let head: String
        /// The lines below it, up to the next item or heading.
        package var text: [String] = []

        /// The words after the macro, such as the `file` of `.It Ic file`; `nil` where the head begins with another.
        package func words(after macro: String) -> [String]? {
            let words = head.split(separator: " ").map(String.init)
            return words.first == macro ? Array(words.dropFirst()) : nil
        }
    }

    package private(set) var headings: [String] = []
    package private(set) var items: [Item] = []
    /// What is shown as it is to be typed.
    package let examples: [String]

    /// - Parameter name: the file's name in the repository's `man`.
    package init(_ name: String, file: String = #filePath) throws {
        // The tests of a target may lie in folders.
        var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("man/\(name)").path)
        {
            folder.deleteLastPathComponent()
        }
        let text = try String(contentsOf: folder.appendingPathComponent("man/\(name)"), encoding: .utf8)
        examples = text.split(separator: ".Bd -literal -offset indent\n").dropFirst().map { block in
            (block.split(separator: ".Ed").first.map(String.init) ?? "").replacing(#"\e"#, with: #"\"#)
        }
        var isInItem = false
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix(".Sh ") || line.hasPrefix(".Ss ") {
                headings.append(String(line.dropFirst(4)))
                isInItem = false
            } else if line.hasPrefix(".It ") {
                items.append(Item(heading: headings.last ?? "", head: String(line.dropFirst(4))))
                isInItem = true
            } else if isInItem {
                items[items.count - 1].text.append(line)
            }
        }
    }

    /// The items below a heading.
    package func items(under heading: String) -> [Item] {
        items.filter { $0.heading == heading }
    }
}
