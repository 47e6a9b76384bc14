/// The table `[metrics]` of a program's configuration.
package struct MetricsSettings: SettingsTable, Equatable {
    package var textfile: String?
    package var interval = 15.0

    package init() {}

    package static let settings: [Setting<Self>] = [
        .init(
            "textfile", \.textfile, Rule.metricsFile.orAbsent(""),
            "The file for node_exporter's textfile collector; without it none is written."),
        .init("interval", \.interval, .number(1...3600, "seconds"), "The interval at which that file is written."),
    ]
}

extension Rule<String> {
    /// The path of a file that node_exporter's textfile collector reads.
    fileprivate static let metricsFile = text("an absolute path in quotes that ends with .prom") {
        text throws(Refusal) in
        _ = try path.read(.text(text))
        guard text.hasSuffix(".prom"), !text.hasSuffix("/.prom") else {
            throw Refusal("\(text.quoted) does not end with .prom, and node_exporter reads no other file")
        }
    }
}
