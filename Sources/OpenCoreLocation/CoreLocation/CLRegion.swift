public import Foundation

/// An area with a name; ``CLCircularRegion`` is the one kind there is.
///
/// Two regions are equal if their identifiers are, as one that is monitored takes the place of another so named.
open class CLRegion: NSObject, NSCopying, NSSecureCoding {
    /// The name within the program.
    open var identifier: String { name }
    private let name: String
    /// Whether entering the region is to be told.
    open var notifyOnEntry = true
    /// Whether leaving the region is to be told.
    open var notifyOnExit = true

    init(identifier: String) {
        name = identifier
    }

    private struct Values: Codable {
        let identifier: String
        let notifyOnEntry, notifyOnExit: Bool
    }

    /// - Returns: `nil` if the archive holds no region of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(Values.self) else { return nil }
        name = values.identifier
        notifyOnEntry = values.notifyOnEntry
        notifyOnExit = values.notifyOnExit
    }

    /// Archives everything; Apple's archives are of another form.
    open func encode(with coder: NSCoder) {
        coder.encode(
            values: Values(identifier: identifier, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit))
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Another region that says the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let twin = CLRegion(identifier: identifier)
        twin.notifyOnEntry = notifyOnEntry
        twin.notifyOnExit = notifyOnExit
        return twin
    }

    /// True if the other is a region of the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == identifier
    }

    /// Follows ``isEqual(_:)``.
    open override var hash: Int { identifier.hashValue }

    /// Such as `CLRegion (identifier:'home')`.
    open override var description: String { "CLRegion (identifier:'\(identifier)')" }
}
