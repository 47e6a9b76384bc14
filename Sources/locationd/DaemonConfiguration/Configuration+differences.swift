import ServiceKit

extension Configuration {
    /// The keys in which two configurations differ, such as `limits.clients` and `sources[0].port`.
    package struct Differences: Sendable, Equatable {
        /// Keys that a running daemon applies.
        package var reloadable: [String] = []
        /// Keys that take effect at the next start.
        package var needingRestart: [String] = []

        mutating func add(_ key: String, isReloadable: Bool) {
            if isReloadable { reloadable.append(key) } else { needingRestart.append(key) }
        }
    }

    /// The differences from an earlier configuration.
    ///
    /// Sources are compared one by one if kinds and names are unchanged; otherwise the difference is `sources` as a
    /// whole.
    package func differences(from earlier: Configuration) -> Differences {
        var differences = Differences()
        for table in Configuration.tables {
            for setting in table.settings where setting.differs(self, earlier) {
                differences.add("\(table.name).\(setting.name)", isReloadable: setting.isReloadable)
            }
        }
        differences.reloadable += sourceDifferences(from: earlier)
        return differences
    }

    private func sourceDifferences(from earlier: Configuration) -> [String] {
        func identity(_ source: Source) -> [String] { [source.kindName, source.name] }
        guard sources.map(identity) == earlier.sources.map(identity) else { return ["sources"] }
        return zip(sources, earlier.sources).enumerated().flatMap { index, pair in
            pair.0.kind.differences(from: pair.1.kind).map { "sources[\(index)].\($0)" }
        }
    }
}
