/// A parsed TOML text: its values and their lines.
package struct Document {
    /// The path of the file.
    package let origin: String
    package let entries: [String: Node.Entry]

    /// - Throws: The TOML error, with its line.
    package init(_ text: String, origin: String) throws(ConfigurationError) {
        self.origin = origin
        do {
            entries = try TOMLReader.entries(of: text)
        } catch {
            let isTOML = error.address != nil
            throw ConfigurationError(
                origin: origin, line: error.line, key: error.address?.description,
                problem: isTOML ? error.problem : "not valid TOML: \(error.problem)",
                remedy: isTOML
                    ? "write a number, a boolean or text in quotes" : "correct this line or comment it out")
        }
    }

    /// The line of a key; `nil` if the text does not have it.
    package func line(of address: KeyAddress) -> Int? {
        var line: Int?
        var node: Node? = .table(entries)
        for step in address.steps {
            var entry: Node.Entry?
            switch (step, node) {
            case (.key(let key), .table(let entries)): entry = entries[key]
            case (.index(let index), .list(let elements)) where elements.indices.contains(index):
                entry = elements[index]
            default: break
            }
            (line, node) = (entry?.line, entry?.node)
        }
        return line
    }

    /// Makes an error for an address.
    package func error(at address: KeyAddress, _ problem: String, _ remedy: String) -> ConfigurationError {
        ConfigurationError(
            origin: origin, line: line(of: address), key: address.description, problem: problem, remedy: remedy)
    }
}

/// Why a text is not valid TOML of the supported subset.
struct SyntaxError: Error {
    /// Counted from 1.
    let line: Int
    let problem: String
    /// The key, if the error is a value in the wrong place.
    var address: KeyAddress?

    init(at line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }
}
