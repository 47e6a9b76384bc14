import CLinux
import Glibc
import NIOCore

/// The descriptors of connections that can be sent a message now, by the slot of their watch: a dense array, so that
/// fan-out to thousands touches one cache line for several clients.
///
/// Ownership: everything here belongs to the event loop of the connections. A slot is enabled only while its
/// ``Connection`` would do nothing but send(2), and the connection disables it before that changes. So no descriptor is
/// used after it was closed, and no message is sent between the parts of another.
package final class DirectSendTable {
    private struct Entry {
        /// -1 while it is disabled.
        var descriptor: Int32 = -1
        /// Messages sent since the last ``consumeCounts(at:)``, and those of them with a location.
        var messages: UInt32 = 0
        var locations: UInt32 = 0
        /// When the last one with a location was sent, seconds of `CLOCK_BOOTTIME`.
        var lastLocation: Int32 = 0
    }

    /// What was sent to a slot.
    package struct Counts {
        package let messages: Int
        /// How many of them have a location.
        package let locations: Int
        /// When the last one with a location was sent, seconds of `CLOCK_BOOTTIME`; means nothing without one.
        package let lastLocation: Int
    }

    private var entries: ContiguousArray<Entry> = []

    private let sendNow: SendNow

    package init(sendNow: @escaping SendNow = offer) {
        self.sendNow = sendNow
    }

    /// Sends the message to those of the slots that are enabled.
    /// - Parameter second: the present time in seconds of `CLOCK_BOOTTIME` if the message has a location, else `nil`.
    /// - Returns: the number of slots to which all of it was sent, and the other slots, each with the number of bytes
    ///   sent.
    package func send(
        _ message: EncodedMessage, at places: [Int], locationAt second: Int? = nil
    ) -> (whole: Int, unsent: [(place: Int, sent: Int)]) {
        var unsent: [(place: Int, sent: Int)] = []
        let time = second.map(Int32.init(clamping:))
        entries.withUnsafeMutableBufferPointer { entries in
            message.buffer.withUnsafeReadableBytes { bytes in
                for place in places {
                    let descriptor = place < entries.count ? entries[place].descriptor : -1
                    let sent = descriptor < 0 ? 0 : sendNow(descriptor, bytes)
                    if sent == bytes.count, descriptor >= 0 {
                        entries[place].messages &+= 1
                        if let time {
                            entries[place].locations &+= 1
                            entries[place].lastLocation = time
                        }
                    } else {
                        unsent.append((place, max(0, sent)))
                    }
                }
            }
        }
        return (places.count - unsent.count, unsent)
    }

    /// Disables direct sends to every slot until its connection enables them again.
    package func disableAll() {
        for place in entries.indices { entries[place].descriptor = -1 }
    }

    /// Returns what was sent to the slot since the last call, and resets it.
    package func consumeCounts(at place: Int) -> Counts {
        guard place < entries.count else { return Counts(messages: 0, locations: 0, lastLocation: 0) }
        let entry = entries[place]
        (entries[place].messages, entries[place].locations) = (0, 0)
        return Counts(
            messages: Int(entry.messages), locations: Int(entry.locations), lastLocation: Int(entry.lastLocation))
    }

    func enable(_ descriptor: Int32, at place: Int) {
        while entries.count <= place { entries.append(Entry()) }
        entries[place].descriptor = descriptor
    }

    func disable(_ place: Int) {
        entries[place].descriptor = -1
    }
}

/// Sends bytes over a socket without blocking; returns how many the kernel accepted, or a negative error number.
package typealias SendNow = (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

/// ``SendNow`` by send(2).
package func offer(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    let sent = clinux_send(descriptor, bytes.baseAddress, bytes.count)
    return sent < 0 ? -Int(errno) : sent
}

/// The number of sent bytes that the other side of a socket has not read.
package typealias UnreadNow = (_ descriptor: Int32) -> Int

/// ``UnreadNow`` by the kernel's count, which includes its own overhead.
package func unread(_ descriptor: Int32) -> Int {
    Int(clinux_unread(descriptor))
}
