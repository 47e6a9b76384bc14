/// Why a text is no TOML that the daemon takes.
struct SyntaxError: Error {
    /// Counted from 1.
    let line: Int
    let problem: String
    /// Where it is a value in the wrong place rather than no TOML, its key.
    var address: KeyAddress?

    init(at line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }
}
