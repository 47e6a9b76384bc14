@_spi(Programs) package import LocationModel
package import ServiceKit
import SimulatedSource
@_spi(Programs) package import SystemSupport

/// A kind of source: its name in the files, its keys, and how to make a source from them.
///
/// A new kind is a type of its own in this folder, with its name in ``SourceKindName/kinds``.
package protocol SourceKind: Sendable, Equatable {
    /// The name in the files.
    static var word: String { get }
    /// The keys that only this kind has.
    static var settings: [Setting<Self>] { get }
    /// Whether the settings state where the machine is, so that users who may not know it must not read the file.
    static var statesPosition: Bool { get }
    /// The initial value for reading a table; required keys replace their values in it.
    static var draft: Self { get }

    /// - Returns: `nil` only for values out of range, which loading rejects.
    func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)?
}

/// What the daemon provides to sources of every kind.
package struct SourceParts: Sendable {
    let clock: ServiceClock
    /// Where the sources' threads send their heartbeats.
    let heartbeats: Heartbeats

    package init(clock: ServiceClock, heartbeats: Heartbeats) {
        self.clock = clock
        self.heartbeats = heartbeats
    }
}

/// The name of a kind of source.
struct SourceKindName: RawRepresentable, CaseIterable, Equatable {
    let kind: any SourceKind.Type
    var rawValue: String { kind.word }
    /// The keys that only this kind has.
    var keys: [KeyDocumentation] { kind.keys }

    /// All kinds, in the order of their documentation.
    private static let kinds: [any SourceKind.Type] = [
        Configuration.GPSD.self, Configuration.Simulator.self, Configuration.Replay.self,
        Configuration.FixedPosition.self, Configuration.PositionFile.self, Configuration.Provider.self,
        Configuration.Compass.self,
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

    /// Reads the kind's own keys of one `[[sources]]`.
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

extension Setting where Section: SourceKind {
    /// A key whose default is that of the draft's property.
    init<Value: Equatable>(
        _ name: String, _ property: any WritableKeyPath<Section, Value> & Sendable, _ rule: Rule<Value>,
        isRequired: Bool = false, _ meaning: String
    ) {
        self.init(name, property, rule, defaults: Section.draft, isRequired: isRequired, meaning)
    }
}

extension Configuration {
    /// A configured source.
    package struct Source: Sendable, Equatable {
        /// The name that locations of this source carry: 1 to 32 of `a` to `z`, `0` to `9` and `-`.
        package var name: String
        /// The kind, with its own settings.
        package var kind: any SourceKind

        /// - Parameter name: `nil` for the name of the kind.
        package init(_ kind: any SourceKind, name: String? = nil) {
            self.kind = kind
            self.name = name ?? type(of: kind).word
        }

        /// The name of its kind in the files.
        package var kindName: String { type(of: kind).word }

        package static func == (one: Self, other: Self) -> Bool {
            one.name == other.name && one.kind.isEqual(to: other.kind)
        }
    }

    /// Makes the configured sources: those of locations by rank, then the compasses.
    package func makeSources(_ parts: SourceParts) -> [any LocationSource] {
        let made = sources.compactMap { $0.kind.makeSource(named: $0.name, with: parts) }
        return made.filter { !$0.isCompass } + made.filter(\.isCompass)
    }
}

/// The keys that all kinds of sources have.
struct SourceHead: SettingsTable {
    var kind = SourceKindName(Configuration.GPSD.self)
    var name: String?

    static let settings: [Setting<Self>] = [
        .init("kind", \.kind, .choice, isRequired: true, "The kind of the source."),
        .init(
            "name", \.name, Rule.sourceName.orAbsent(),
            "The name in its locations, unique among the sources; by default the kind."),
    ]
}
