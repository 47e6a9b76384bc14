/// Finds the numbers of users and groups by their names.
package protocol NameLookup: Sendable {
    /// - Returns: `nil` if no user has that name.
    func uid(ofUser name: String) throws(NameLookupError) -> UInt32?

    /// - Returns: `nil` if no group has that name.
    func gid(ofGroup name: String) throws(NameLookupError) -> UInt32?
}

/// Nobody can tell whether there is such a name.
package struct NameLookupError: Error {
    /// The system's words.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
