/// A message in the journal's native format: named fields, whose values may contain any bytes.
///
/// The format is described at https://systemd.io/JOURNAL_NATIVE_PROTOCOL.
package struct JournalEntry: Sendable, Equatable {
    /// The content of the datagram.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Adds a field, even if there is one of the same name.
    ///
    /// - Parameter name: 1 to 64 of A-Z, 0-9 and `_`, the first a letter. A field with another name is left out, as the
    ///   journal itself would do.
    package mutating func add(_ name: String, _ value: String) {
        guard Self.isName(name) else { return }
        bytes += name.utf8
        if value.utf8.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The name of a program's own field: `needRestart` of `LOCATIOND` is `LOCATIOND_NEED_RESTART`. Characters that
    /// names cannot contain become `_`; too long names are truncated.
    package static func name(_ key: String, of program: String) -> String {
        var name = program + "_"
        var wasLower = false
        for scalar in key.unicodeScalars {
            let isUpper = ("A"..."Z").contains(scalar)
            let isLower = ("a"..."z").contains(scalar)
            if isUpper, wasLower { name += "_" }
            name += isUpper || isLower || ("0"..."9").contains(scalar) ? String(scalar).uppercased() : "_"
            wasLower = isLower
        }
        return String(name.prefix(64))
    }

    private static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), name.first.map({ ("A"..."Z").contains($0) }) == true else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_")
        }
    }
}
