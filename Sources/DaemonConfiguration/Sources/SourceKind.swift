package import LocationModel
package import SimulatedSource
package import StrictTOML
package import SystemSupport

/// A kind of source: its word in the files, its keys, and how a source is made of them.
///
/// A new kind is a type of its own in this folder, with its name in ``SourceKindName/kinds``.
package protocol SourceKind: Sendable, Equatable {
    /// What the files call it.
    static var word: String { get }
    /// The keys that only this kind has.
    static var settings: [Setting<Self>] { get }
    /// What reading a table starts from; required keys are read before anybody sees it.
    static var draft: Self { get }

    /// - Returns: `nil` only for values out of range, which loading refuses.
    func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)?
}

/// What sources of every kind are given by the daemon.
package struct SourceParts: Sendable {
    let clocks: SourceClocks
    /// Where the sources' threads show that they are alive.
    let heartbeats: Heartbeats

    package init(clocks: SourceClocks, heartbeats: Heartbeats) {
        self.clocks = clocks
        self.heartbeats = heartbeats
    }
}

/// The word for a kind of source.
struct SourceKindName: RawRepresentable, CaseIterable, Equatable {
    let kind: any SourceKind.Type
    var rawValue: String { kind.word }
    /// The keys that only this kind has.
    var keys: [KeyDocumentation] { kind.keys }

    /// Every kind there is, in the order in which they are documented.
    private static let kinds: [any SourceKind.Type] = [
        Configuration.GPSD.self, Configuration.Simulator.self, Configuration.Replay.self,
        Configuration.FixedPosition.self, Configuration.PositionFile.self,
    ]

    static let allCases = kinds.map(SourceKindName.init)

    init(_ kind: any SourceKind.Type) { self.kind = kind }

    init?(rawValue: String) {
        guard let named = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = named
    }

    static func == (one: Self, other: Self) -> Bool { one.kind == other.kind }
}

extension SourceKind {
    static var keys: [KeyDocumentation] {
        settings.map { KeyDocumentation($0, table: "sources", isInList: true, kind: word) }
    }

    /// Reads the keys of one `[[sources]]` that only this kind has.
    static func read(from table: TableReader) throws(ConfigurationError) -> any SourceKind {
        var content = draft
        try table.read(settings, into: &content, otherKeys: SourceHead.settings.map(\.name)) { key in
            let owners = SourceKindName.allCases.filter { $0.keys.contains { $0.name == key } }
            guard !owners.isEmpty else { return nil }
            let names = owners.map(\.rawValue).joined(separator: " or ")
            return ("is a key of kind \(names), not of \(word)", "remove it or change the kind")
        }
        return content
    }

    /// The names of the keys that differ.
    func differences(from earlier: any SourceKind) -> [String] {
        guard let earlier = earlier as? Self else { return ["kind"] }
        return Self.settings.filter { $0.differs(self, earlier) }.map(\.name)
    }

    fileprivate func isEqual(to other: any SourceKind) -> Bool { self == other as? Self }
}

extension Configuration {
    /// One of the places locations come from.
    package struct Source: Sendable, Equatable {
        /// What locations of this source are marked with: 1 to 32 of `a` to `z`, `0` to `9` and `-`.
        package var name: String
        /// What it is, with the settings that only this kind has.
        package var kind: any SourceKind

        /// - Parameter name: The word for the kind where `nil`.
        package init(_ kind: any SourceKind, name: String? = nil) {
            self.kind = kind
            self.name = name ?? type(of: kind).word
        }

        /// What the files call its kind.
        package var kindName: String { type(of: kind).word }

        package static func == (one: Self, other: Self) -> Bool {
            one.name == other.name && one.kind.isEqual(to: other.kind)
        }
    }

    /// The sources as configured, by rank.
    package func makeSources(_ parts: SourceParts) -> [any LocationSource] {
        sources.compactMap { $0.kind.makeSource(named: $0.name, with: parts) }
    }
}

/// The keys that sources of every kind have.
struct SourceHead: Sendable {
    var kind = SourceKindName(Configuration.GPSD.self)
    var name: String?

    static let settings: [Setting<Self>] = [
        .init(
            "kind", \.kind, .choice, defaults: Self(), isRequired: true,
            "What the source is."),
        .init(
            "name", \.name, Rule.sourceName.orAbsent(), defaults: Self(),
            "What its locations are marked with, different for every source; the kind where left out."),
    ]
}
