package import LocationModel

/// The program that a bridge serves with a connection: whoever owns it is judged, and not the bridge.
///
/// It is a parameter beside those of each method of `org.locationd.location`, and with an administrator's token beside those of
/// `org.locationd.admin`.
package struct ServedProgram: ClientRequest {
    /// Its user, as the kernel or the bus reports it.
    package var uid: UInt32
    /// Its system unit, if the bridge knows that from the kernel or the bus.
    package var unit: String?
    /// What it is, for people, 1 to ``labelLimit`` bytes: `gpsd client`, `GeoClue: firefox`. It decides nothing.
    package var label: String

    /// Bytes.
    package static let labelLimit = 128

    package init(uid: UInt32, unit: String? = nil, label: String) {
        self.uid = uid
        self.unit = unit
        self.label = label
    }

    package func validate() throws(InvalidField) {
        // The kernel's number for users that it cannot map, and that for "no user".
        if uid == 65_534 || uid == .max { throw InvalidField("onBehalfOf.uid", "it is the uid of one user") }
        if label.isEmpty || label.utf8.count > Self.labelLimit {
            throw InvalidField("onBehalfOf.label", "1 to \(Self.labelLimit) bytes")
        }
    }
}

/// The parameter by which a bridge names the program it serves, in the parameters of any method that takes it.
package struct ServedProgramParameters: Codable, Sendable {
    package var onBehalfOf: ServedProgram?
    package init(_ program: ServedProgram?) { onBehalfOf = program }
}
