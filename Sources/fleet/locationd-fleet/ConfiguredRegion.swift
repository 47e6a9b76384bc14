@_spi(Programs) import LocationModel
import ServiceKit

/// One table of the list `[[regions]]`, while it is read.
struct ConfiguredRegion: SettingsTable {
    var name = ""
    var latitude = 0.0
    var longitude = 0.0
    var radius = 0.0

    // Each key is required: the initial values are never used.
    static let settings: [Setting<Self>] = [
        .init("name", \.name, .regionName, isRequired: true, "The region's name, as messages have it."),
        .init("latitude", \.latitude, .number(-90...90, "degrees"), isRequired: true, "The latitude of its middle."),
        .init(
            "longitude", \.longitude, .number(-180...180, "degrees"), isRequired: true, "The longitude of its middle."),
        .init("radius", \.radius, .number(RegionCircle.radiusRange, "metres"), isRequired: true, "Its radius."),
    ]

    /// The regions of a document, none of which has another's name.
    static func regions(
        of document: Document, keysElsewhere: [KeyDocumentation]
    ) throws(ConfigurationError) -> [Region] {
        var names: Set<String> = []
        return try document.tables(named: "regions", keysElsewhere: keysElsewhere) {
            (draft: ConfiguredRegion, place) throws(ConfigurationError) in
            guard let region = draft.region else {
                throw document.error(at: place, "is no region", "check name, latitude, longitude and radius")
            }
            guard names.insert(region.identifier).inserted else {
                throw document.error(
                    at: place.appending("name"), "\(region.identifier.quoted) is the name of an earlier region",
                    "give each region a name of its own")
            }
            return region
        }
    }

    /// `nil` only for numbers that the settings do not accept.
    private var region: Region? {
        guard let center = Coordinate(latitude: latitude, longitude: longitude),
            let circle = try? RegionCircle(center: center, radius: radius)
        else { return nil }
        return try? Region(identifier: name, shape: .circle(circle))
    }
}

extension Document {
    /// Reads a list of tables, such as `[[regions]]`; none if the document has no such list.
    ///
    /// - Parameter body: makes of a table and its place what is wanted.
    func tables<Table: SettingsTable, Value>(
        named name: String, keysElsewhere: [KeyDocumentation],
        _ body: (Table, KeyAddress) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> [Value] {
        guard let node = entries[name]?.node else { return [] }
        let list = KeyAddress().appending(name)
        // The list's name is a plural.
        let advice = "begin each \(name.dropLast()) with a line [[\(name)]]"
        guard case .list(let tables) = node else {
            throw error(at: list, "is \(node.typeName), not a list", advice)
        }
        var values: [Value] = []
        for (index, table) in tables.enumerated() {
            let place = list.appending(index)
            guard case .table(let entries) = table.node else {
                throw error(at: place, "is \(table.node.typeName), not a table", advice)
            }
            var draft = Table()
            try TableReader(document: self, address: place, entries: entries, keysElsewhere: keysElsewhere)
                .read(Table.settings, into: &draft)
            values.append(try body(draft, place))
        }
        return values
    }
}

extension Rule<String> {
    fileprivate static let regionName = text("a name of at most \(Region.identifierLimit) bytes in quotes") {
        text throws(Refusal) in
        guard text.utf8.count <= Region.identifierLimit else { throw Refusal("\(text.quoted) is too long") }
    }
}
