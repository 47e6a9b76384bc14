/// One TOML text: its values, and where they stand.
struct Document {
    /// The path of the file.
    let origin: String
    let entries: [String: Node]
    private let keyLines: KeyLines

    /// - Throws: What is wrong with the text as TOML, with its line.
    init(_ text: String, origin: String) throws(ConfigurationError) {
        func notTOML(_ line: Int, _ problem: String) -> ConfigurationError {
            // The parser's own words may have several lines.
            let problem = problem.split(whereSeparator: \.isNewline).joined(separator: " ")
            return ConfigurationError(
                origin: origin, line: line, problem: "not valid TOML: \(problem)",
                remedy: "correct this line or comment it out")
        }
        if let line = Self.lineOfNUL(in: text) { throw notTOML(line, "a NUL character") }
        keyLines = KeyLines(of: text)
        if let obstacle = keyLines.obstacle {
            guard let address = obstacle.address else { throw notTOML(obstacle.line, obstacle.problem) }
            throw ConfigurationError(
                origin: origin, line: obstacle.line, key: address.description, problem: obstacle.problem,
                remedy: "write a number, a boolean or text in quotes")
        }
        do {
            entries = try Node.parsing(text)
        } catch {
            throw notTOML(error.line, error.problem)
        }
        self.origin = origin
    }

    /// The line of a key; `nil` where it is not in the text.
    func line(of address: KeyAddress) -> Int? { keyLines.lines[address] }

    /// A mistake at an address.
    func error(at address: KeyAddress, _ problem: String, _ remedy: String) -> ConfigurationError {
        ConfigurationError(
            origin: origin, line: line(of: address), key: address.description, problem: problem, remedy: remedy)
    }

    /// The parser's strings end at a NUL, so neither the character nor its escape may come near it. The search does
    /// not ask whether it is in a comment: nobody has a reason to write it there.
    private static func lineOfNUL(in text: String) -> Int? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.firstIndex { $0.contains("\0") || $0.contains("\\u0000") || $0.contains("\\U00000000") }
            .map { $0 + 1 }
    }
}
