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

    /// Unicode's quotation marks, and characters that look like them: accents, primes and the ornaments of Dingbats.
    fileprivate var isQuotation: Bool {
        switch value {
        case 0x60, 0xB4, 0x2BA, 0x2DD, 0x2032...0x2037, 0x275B...0x2760, 0x276E...0x276F: true
        default: properties.isQuotationMark
        }
    }

    /// Letters that are shown as nothing or as a space. Joiners and the selectors of variants change the letters beside
    /// them.
    fileprivate var isBlankLetter: Bool {
        switch value {
        case 0x2800: true
        case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}

extension StringProtocol {
    /// The text as what a program says of itself is shown to people: it cannot end the quotation marks around it, look
    /// like empty space, or push what follows out of sight.
    ///
    /// Unprintable characters are written as `\u{…}`, quotation marks of all kinds become `'`, runs of white space one
    /// space, and letters without a shape U+FFFD.
    @_spi(Programs) public func sanitizedAsClaim() -> String {
        var claim = String.UnicodeScalarView()
        for scalar in escapingUnprintable().unicodeScalars {
            if scalar.properties.isWhitespace {
                if let last = claim.last, last != " " { claim.append(" ") }
            } else if scalar.isQuotation {
                claim.append("'")
            } else {
                claim.append(scalar.isBlankLetter ? "\u{FFFD}" : scalar)
            }
        }
        if claim.last == " " { claim.removeLast() }
        return String(claim)
    }

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
