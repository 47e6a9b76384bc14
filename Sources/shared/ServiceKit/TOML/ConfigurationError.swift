/// Why a configuration is invalid: one line with the place of the error and the remedy.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The path of the file, or `environment`.
    package let origin: String
    /// The line in the file, counted from 1; `nil` if it is not known for certain.
    package let line: Int?
    /// The full path of the key, such as `sources[0].port`; `nil` if the error does not concern a single key.
    package let key: String?
    /// What is wrong.
    package let problem: String
    /// What to do.
    package let remedy: String

    package init(origin: String, line: Int? = nil, key: String? = nil, problem: String, remedy: String) {
        self.origin = origin
        self.line = line
        self.key = key
        self.problem = problem
        self.remedy = remedy
    }

    /// `FILE:LINE: full.key.path: problem; remedy`, without the unknown parts.
    package var description: String {
        let place = line.map { "\(origin):\($0)" } ?? origin
        let subject = key.map { "\($0): " } ?? ""
        return "\(place): \(subject)\(problem); \(remedy)".onOneLine
    }
}

extension StringProtocol {
    /// The same text with line breaks and control characters escaped as `\u{…}`.
    package var onOneLine: String {
        var line = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// The text in quotes, on one line, shortened if it is too long for a message.
    package var quoted: String {
        let limit = 64
        return count > limit ? "\"\(prefix(limit).onOneLine)…\"" : "\"\(onOneLine)\""
    }
}
