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
            let found = section.differences(self, earlier)
            differences.reloadable += found.reloadable
            differences.needingRestart += found.needingRestart
        }
        differences.reloadable += sourceDifferences(from: earlier)
        return differences
    }

    private func sourceDifferences(from earlier: Configuration) -> [String] {
        func identity(_ source: Source) -> [String] { [source.kind.word.rawValue, source.name] }
        guard sources.map(identity) == earlier.sources.map(identity) else { return ["sources"] }
        return zip(sources, earlier.sources).enumerated().flatMap { index, pair in
            pair.0.kind.differences(from: pair.1.kind).map { "sources[\(index)].\($0)" }
        }
    }
}

extension Configuration.Source.Kind {
    /// The names of the keys that differ, of two sources of one kind.
    fileprivate func differences(from earlier: Self) -> [String] {
        switch (self, earlier) {
        case (.gpsd(let new), .gpsd(let old)): names(Configuration.GPSD.settings, new, old)
        case (.simulator(let new), .simulator(let old)): names(Configuration.Simulator.settings, new, old)
        case (.replay(let new), .replay(let old)): names(Configuration.Replay.settings, new, old)
        case (.fixed(let new), .fixed(let old)): names(Configuration.FixedPosition.settings, new, old)
        case (.file(let new), .file(let old)): names(Configuration.PositionFile.settings, new, old)
        default: ["kind"]
        }
    }

    private func names<Content>(_ settings: [Setting<Content>], _ new: Content, _ old: Content) -> [String] {
        settings.filter { $0.differs(new, old) }.map(\.name)
    }
}
