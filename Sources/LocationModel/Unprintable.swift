extension Unicode.Scalar {
    /// True for what a terminal obeys instead of showing it, or what changes how the rest of a line is shown: control
    /// characters, marks of direction, separators of lines. The joiners that names in many scripts, and emoji, are written
    /// with are none of these.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}

extension StringProtocol {
    /// Whether all of it can be shown on one line.
    package var isPrintable: Bool { !unicodeScalars.contains(where: \.isUnprintable) }

    /// The same with what cannot be shown written as `\u{…}`.
    ///
    /// - Parameter isKept: what is left as it is nevertheless.
    package func escapingUnprintable(except isKept: (Unicode.Scalar) -> Bool = { _ in false }) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isUnprintable, !isKept(scalar) {
                escaped.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
