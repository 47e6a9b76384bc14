import ArgumentParser

/// A number whose default is written in the help as people write it: 30, not 30.0.
struct NumberArgument: ExpressibleByArgument, ExpressibleByFloatLiteral {
    let value: Double

    init(floatLiteral value: Double) { self.value = value }

    init?(argument: String) {
        guard let value = Double(argument) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { Int(exactly: value).map(String.init) ?? "\(value)" }
}
