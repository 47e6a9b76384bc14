/// The keys of one table of a file: a property for each, whose value in `init()` is the key's default.
package protocol SettingsTable: Sendable {
    init()
    /// All keys, in the order of their documentation.
    static var settings: [Setting<Self>] { get }
}

extension Setting where Section: SettingsTable {
    /// A key whose default is that of its property.
    package init<Value: Equatable>(
        _ name: String, _ property: any WritableKeyPath<Section, Value> & Sendable, _ rule: Rule<Value>,
        isRequired: Bool = false, _ meaning: String
    ) {
        self.init(name, property, rule, defaults: Section(), isRequired: isRequired, meaning)
    }
}

extension Optional where Wrapped: SettingsTable {
    /// The table; setting it makes one that was absent.
    package var orDefaults: Wrapped {
        get { self ?? Wrapped() }
        set { self = newValue }
    }
}

/// A table of a configuration file, such as `[service]`, whose keys are properties of a configuration. Without the
/// table in the file, the defaults hold.
package struct ConfigurationTable<Configuration: Sendable>: Sendable {
    package typealias Read =
        @Sendable (Document, [KeyDocumentation], inout Configuration) throws(ConfigurationError) -> Void

    package let name: String
    /// The settings of its keys; those of a list are its own matter.
    package let settings: [Setting<Configuration>]
    package let keys: [KeyDocumentation]
    /// Reads the table, if the document has it; the documentation of all keys says where a misplaced one belongs.
    package let read: Read

    package init(_ name: String, _ settings: [Setting<Configuration>]) {
        (self.name, self.settings, keys) = (name, settings, KeyDocumentation.list(settings, name))
        read = { document, keys, configuration throws(ConfigurationError) in
            try TableReader(table: name, of: document, keysElsewhere: keys)?.read(settings, into: &configuration)
        }
    }

    package init<Table: SettingsTable>(
        _ name: String, _ property: any WritableKeyPath<Configuration, Table> & Sendable
    ) {
        self.init(name, Table.settings.map { $0.within(property) })
    }

    /// A list of tables, such as `[[regions]]`.
    package init<Table: SettingsTable>(list name: String, of _: Table.Type, _ read: @escaping Read) {
        (self.name, settings, self.read) = (name, [], read)
        keys = KeyDocumentation.list(Table.settings, name, isInList: true)
    }
}
