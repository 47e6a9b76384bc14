/// Why a configuration cannot be used: one line that says where the mistake is and what to do about it.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The path of the file, or `environment`.
    package let origin: String
    /// The line in the file, counted from 1, where it is known for certain.
    package let line: Int?
    /// The full path of the key, such as `sources[0].port`; `nil` where the mistake is not one key's.
    package let key: String?
    /// What is wrong.
    package let problem: String
    /// What to do.
    package let remedy: String

    init(origin: String, line: Int? = nil, key: String? = nil, problem: String, remedy: String) {
        self.origin = origin
        self.line = line
        self.key = key
        self.problem = problem
        self.remedy = remedy
    }

    /// `FILE:LINE: full.key.path: what is wrong; what to do`, without the parts that are not known.
    package var description: String {
        let place = line.map { "\(origin):\($0)" } ?? origin
        let subject = key.map { "\($0): " } ?? ""
        return "\(place): \(subject)\(problem); \(remedy)".onOneLine
    }
}
