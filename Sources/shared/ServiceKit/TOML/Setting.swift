/// One key: its property, the values it accepts and its meaning.
package struct Setting<Section: Sendable>: Sendable {
    package let name: String
    /// What the key does, in one sentence.
    package let meaning: String
    /// The values that are accepted, in words.
    package let accepts: String
    /// Whether the key has no default.
    package let isRequired: Bool
    /// Whether a running daemon can apply a change.
    package let isReloadable: Bool
    /// The default as TOML; `nil` if the key is required or left out by default.
    package let defaultValue: String?
    package let read: @Sendable (Node, inout Section) throws(Refusal) -> Void
    package let differs: @Sendable (Section, Section) -> Bool

    /// - Parameter defaults: The section with all defaults.
    package init<Value: Equatable>(
        _ name: String, _ property: any WritableKeyPath<Section, Value> & Sendable, _ rule: Rule<Value>,
        defaults: Section, isRequired: Bool = false, isReloadable: Bool = true, _ meaning: String
    ) {
        self.name = name
        self.meaning = meaning
        self.accepts = rule.accepts
        self.isRequired = isRequired
        self.isReloadable = isReloadable
        defaultValue = isRequired ? nil : rule.written(defaults[keyPath: property])
        read = { node, section throws(Refusal) in section[keyPath: property] = try rule.read(node) }
        differs = { $0[keyPath: property] != $1[keyPath: property] }
    }

    /// A key of a section that is part of another value.
    package func within<Whole>(
        _ place: any WritableKeyPath<Whole, Section> & Sendable
    ) -> Setting<Whole> { Setting<Whole>(self, at: place) }

    private init<Part>(_ setting: Setting<Part>, at place: any WritableKeyPath<Section, Part> & Sendable) {
        (name, meaning, accepts) = (setting.name, setting.meaning, setting.accepts)
        (isRequired, isReloadable, defaultValue) = (setting.isRequired, setting.isReloadable, setting.defaultValue)
        read = { node, whole throws(Refusal) in try setting.read(node, &whole[keyPath: place]) }
        differs = { setting.differs($0[keyPath: place], $1[keyPath: place]) }
    }
}

/// The documentation of one key.
package struct KeyDocumentation: Sendable, Equatable {
    /// The table it belongs to, such as `delivery`.
    package let table: String
    /// Whether the table is one of a list.
    package let isInList: Bool
    /// The kind of table that has it, if tables of a list differ; `nil` if every kind has it.
    package let kind: String?
    package let name: String
    /// What the key does, in one sentence.
    package let meaning: String
    /// Type, range and unit in words.
    package let accepts: String
    package let isRequired: Bool
    /// Whether a running daemon applies a change; otherwise it takes effect at the next start.
    package let isReloadable: Bool
    /// The default as TOML; `nil` if there is none.
    package let defaultValue: String?

    package init(_ setting: Setting<some Any>, table: String, isInList: Bool = false, kind: String? = nil) {
        self.table = table
        self.isInList = isInList
        self.kind = kind
        name = setting.name
        meaning = setting.meaning
        accepts = setting.accepts
        isRequired = setting.isRequired
        isReloadable = setting.isReloadable
        defaultValue = setting.defaultValue
    }

    /// The documentation of all keys of a table.
    package static func list(_ settings: [Setting<some Any>], _ table: String, isInList: Bool = false) -> [Self] {
        settings.map { Self($0, table: table, isInList: isInList) }
    }

    /// The table's header line.
    package var heading: String { isInList ? "[[\(table)]]" : "[\(table)]" }
}
