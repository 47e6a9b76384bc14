/// Metrics in Prometheus' text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
package enum PrometheusText {
    /// Formats the families in their order; one without samples is left out.
    package static func text(_ families: [MetricFamily]) -> String {
        families.map(text).joined()
    }

    private static func text(_ family: MetricFamily) -> String {
        guard !family.samples.isEmpty else { return "" }
        var text = "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
        for sample in family.samples {
            switch sample.value {
            case .number(let value): text += line(family.name, sample.labels, value)
            case .histogram(let histogram): text += lines(family.name, sample.labels, histogram)
            }
        }
        return text
    }

    /// The buckets are cumulative: each has the count of all values up to its bound.
    private static func lines(_ name: String, _ labels: [MetricFamily.Label], _ histogram: Histogram) -> String {
        var text = ""
        var cumulative = 0
        for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
            cumulative += count
            text += line(name + "_bucket", labels + [.init("le", number(bound))], Double(cumulative))
        }
        return text + line(name + "_sum", labels, histogram.sum) + line(name + "_count", labels, Double(cumulative))
    }

    private static func line(_ name: String, _ labels: [MetricFamily.Label], _ value: Double) -> String {
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        return "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(number(value))\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = String.UnicodeScalarView()
        // By scalar, because CR LF is one character.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\\"#.unicodeScalars
            case "\n": escaped += #"\n"#.unicodeScalars
            case "\"" where quotes: escaped += #"\""#.unicodeScalars
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// In the format that Go parses; whole numbers without a point, as long as a `Double` is exact.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        let whole = Int64(exactly: value)
        return whole.flatMap { $0.magnitude < 1 << 53 ? "\($0)" : nil } ?? "\(value)"
    }
}
