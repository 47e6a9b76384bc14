extension Unicode.Scalar {
    /// True for characters that a terminal interprets instead of showing, or that change how the rest of a line is
    /// shown: control characters, directional marks, line separators. Joiners, which many scripts and emoji need, are
    /// not among them.
    @_spi(Programs) public var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}

extension StringProtocol {
    /// Whether all of it can be shown on one line.
    @_spi(Programs) public var isPrintable: Bool { !unicodeScalars.contains(where: \.isUnprintable) }

    /// The text with unprintable characters written as `\u{…}`.
    ///
    /// - Parameter isKept: characters that are left as they are nevertheless.
    @_spi(Programs) public func escapingUnprintable(except isKept: (Unicode.Scalar) -> Bool = { _ in false }) -> String
    {
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
