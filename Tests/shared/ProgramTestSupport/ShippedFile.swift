package import Foundation

/// A configuration file as it is shipped: it documents the code, so its commented lines are the defaults.
package struct ShippedFile {
    package let text: String
    /// The same with the commented lines made live.
    package let uncommented: String
    /// Each of these lines behind its table, such as `[service] log-level = "info"`.
    package let keys: [String]

    /// - Parameter url: the file in the repository's `config`.
    package init(_ url: URL) throws {
        text = try String(contentsOf: url, encoding: .utf8)
        let lines = text.split(separator: "\n").map { line in
            let isCommented = line.dropFirst().first.map { $0.isLetter || $0 == "[" } == true
            return line.hasPrefix("#") && isCommented ? line.dropFirst() : line
        }
        uncommented = lines.joined(separator: "\n")
        var table = Substring()
        var keys: [String] = []
        for line in lines where !line.hasPrefix("#") {
            if line.hasPrefix("[") { table = line } else { keys.append("\(table) \(line)") }
        }
        self.keys = keys
    }
}
