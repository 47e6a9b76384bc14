package import ServiceKit

extension ManualPage {
    /// What the section METRICS does not say of a program's families of metrics as the code has them: that each is
    /// listed, in their order, and no other; its kind, its help text, and the names of its labels.
    package func mistakes(about families: [MetricFamily]) -> [String] {
        let entries = items(under: "METRICS")
        let expected = families.map { "Li \($0.name) Pq \($0.kind.rawValue)" }
        guard entries.map(\.head) == expected else { return ["lists \(entries.map(\.head)), not \(expected)"] }
        return zip(families, entries).compactMap { family, entry in
            let labels = family.samples.first?.labels.map(\.name) ?? []
            let text = family.help + (labels.isEmpty ? "" : " Labels: \(labels.joined(separator: ", ")).")
            let found = entry.text.prefix { $0 != ".El" }.joined(separator: " ").replacing(#"\-"#, with: "-")
            return found == text ? nil : "\(family.name): \(found.quoted), not \(text.quoted)"
        }
    }
}
