/// All samples of one metric name.
package struct MetricFamily: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package enum Value: Sendable, Equatable {
        case number(Double)
        case histogram(Histogram)
    }

    /// One series, distinguished by its labels from the others of its family.
    package struct Sample: Sendable, Equatable {
        package var labels: [Label]
        package var value: Value
    }

    package struct Label: Sendable, Hashable {
        package let name: String
        package let value: String

        /// - Parameter name: characters that Prometheus does not allow in label names become `_`.
        package init(_ name: String, _ value: String) {
            self.name = MetricName.label(name)
            self.value = value
        }
    }

    package let name: String
    package let help: String
    package let kind: Kind
    package var samples: [Sample] = []

    /// - Parameters:
    ///   - name: ends with the base unit, and for counters with `_total`; characters that Prometheus does not allow
    ///     become `_`.
    ///   - help: one sentence of description.
    package init(_ name: String, _ kind: Kind, help: String) {
        self.name = MetricName.metric(name)
        self.kind = kind
        self.help = help
    }

    /// Adds one series; `nil` is unknown and adds nothing.
    package mutating func add(_ value: Double?, _ labels: (name: String, value: String)...) {
        guard let value else { return }
        samples.append(Sample(labels: labels.map { Label($0.name, $0.value) }, value: .number(value)))
    }

    package mutating func add(_ value: Int?, _ labels: (name: String, value: String)...) {
        guard let value else { return }
        samples.append(Sample(labels: labels.map { Label($0.name, $0.value) }, value: .number(Double(value))))
    }
}

extension MetricFamily {
    /// A counter without labels.
    package static func counter(_ name: String, _ value: Int, help: String) -> Self {
        var family = Self(name, .counter, help: help)
        family.add(value)
        return family
    }

    package static func counter(_ name: String, _ value: Double, help: String) -> Self {
        var family = Self(name, .counter, help: help)
        family.add(value)
        return family
    }

    /// A gauge without labels.
    package static func gauge(_ name: String, _ value: Double?, help: String) -> Self {
        var family = Self(name, .gauge, help: help)
        family.add(value)
        return family
    }
}

/// The characters that Prometheus' data model allows in names.
enum MetricName {
    static func metric(_ name: String) -> String { spelled(name, with: [UInt8(ascii: "_"), UInt8(ascii: ":")]) }

    static func label(_ name: String) -> String { spelled(name, with: [UInt8(ascii: "_")]) }

    private static func spelled(_ name: String, with others: [UInt8]) -> String {
        let bytes = name.utf8.map { byte in isLetter(byte) || isDigit(byte) || others.contains(byte) ? byte : others[0]
        }
        guard let first = bytes.first, !isDigit(first) else { return "_" + String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
