@_spi(Programs) import LocationModel

/// The `_id` of a message, by which a receiver drops what it has received twice.
///
/// The same fix of the same outbox has the same identifier, also after a restart. The time is part of it because a
/// daemon that lost its state numbers its fixes from the beginning.
package struct MessageIdentifier: Sendable, Equatable, CustomStringConvertible {
    package let description: String

    /// - Parameters:
    ///   - origin: the random number of the outbox.
    ///   - time: the fix's time in seconds since 1970.
    ///   - sequence: the daemon's number of the fix.
    package init(origin: UInt32, time: Int64, sequence: Int64) {
        description = [UInt64(origin), UInt64(bitPattern: time), UInt64(bitPattern: sequence)]
            .map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// The identifier of an event that a fix has caused.
    package func event(_ name: String, at place: String) -> MessageIdentifier {
        MessageIdentifier(description: "\(description)-\(String(Self.hash(of: "\(name) \(place)"), radix: 16))")
    }

    private init(description: String) { self.description = description }

    /// FNV-1a: unlike Swift's own, it has the same result in every process.
    private static func hash(of text: String) -> UInt32 {
        text.utf8.reduce(0x811c_9dc5) { hash, byte in (hash ^ UInt32(byte)) &* 0x0100_0193 }
    }
}
