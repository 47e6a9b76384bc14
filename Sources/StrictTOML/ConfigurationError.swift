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

    package init(origin: String, line: Int? = nil, key: String? = nil, problem: String, remedy: String) {
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

extension StringProtocol {
    /// The same text with all that could end the line or steer a terminal made visible as `\u{…}`.
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

    /// The text between quotes, on one line, cut where it is too long to be read in a message.
    package var quoted: String {
        let limit = 64
        return count > limit ? "\"\(prefix(limit).onOneLine)…\"" : "\"\(onOneLine)\""
    }
}
