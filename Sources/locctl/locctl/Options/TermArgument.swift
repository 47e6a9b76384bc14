import ArgumentParser
@_spi(Programs) import LocationInterface

/// How long something holds, as a number and a unit: `90s`, `30m`, `1h`, `2d`; a number alone is seconds.
struct TermArgument: ExpressibleByArgument {
    /// More than 0 and at most a year.
    let seconds: Double

    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    init?(argument text: String) {
        let unit = text.last.flatMap { Self.units[$0] }
        let number = unit == nil ? text[...] : text.dropLast()
        guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let count = Double(number) else {
            return nil
        }
        let seconds = count * (unit ?? 1)
        guard seconds > 0, seconds <= DecisionTerm.limit else { return nil }
        self.seconds = seconds
    }

    var defaultValueDescription: String { "\(seconds)s" }
}
