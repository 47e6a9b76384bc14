import StrictTOML

extension Configuration {
    /// The keys in which two configurations differ, such as `limits.clients` and `sources[0].port`.
    package struct Differences: Sendable, Equatable {
        /// Those that a running daemon takes over.
        package var reloadable: [String] = []
        /// Those that wait for the daemon's next start.
        package var needingRestart: [String] = []

        mutating func add(_ key: String, isReloadable: Bool) {
            if isReloadable { reloadable.append(key) } else { needingRestart.append(key) }
        }
    }

    /// What changed since an earlier configuration.
    ///
    /// Sources are compared one by one while their kinds and names are those of before; otherwise it is `sources` as a
    /// whole that differs.
    package func differences(from earlier: Configuration) -> Differences {
        var differences = Differences()
        for section in Section.all {
            for setting in section.settings where setting.differs(self, earlier) {
                differences.add("\(section.name).\(setting.name)", isReloadable: setting.isReloadable)
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
