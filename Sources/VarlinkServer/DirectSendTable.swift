import CLinux
import Glibc
import NIOCore

/// The descriptors of connections that can take a message now, by the place of their watch: a dense array, so that fan-out to
/// thousands touches one cache line for several clients.
///
/// Ownership: everything here belongs to the event loop of the connections. A place is enabled only while its
/// ``Connection`` would do nothing but send(2), and the connection itself disables it before that changes; so no descriptor
/// is used after it was closed, and no message comes between the parts of another.
package final class DirectSendTable {
    private struct Entry {
        /// -1 while it is disabled.
        var descriptor: Int32 = -1
        /// Messages since the last ``takeCount(at:)``.
        var sent = 0
    }

    private var entries: ContiguousArray<Entry> = []

    private let sendNow: SendNow

    package init(sendNow: @escaping SendNow = offer) {
        self.sendNow = sendNow
    }

    /// Sends the message to those of the places that are enabled.
    /// - Returns: how many took it whole, and the places that did not, each with the bytes that were taken there.
    package func send(
        _ message: EncodedMessage, at places: [Int]
    ) -> (whole: Int, rest: [(place: Int, taken: Int)]) {
        var rest: [(place: Int, taken: Int)] = []
        entries.withUnsafeMutableBufferPointer { entries in
            message.buffer.withUnsafeReadableBytes { bytes in
                for place in places {
                    let descriptor = place < entries.count ? entries[place].descriptor : -1
                    let taken = descriptor < 0 ? 0 : sendNow(descriptor, bytes)
                    if taken == bytes.count, descriptor >= 0 {
                        entries[place].sent += 1
                    } else {
                        rest.append((place, max(0, taken)))
                    }
                }
            }
        }
        return (places.count - rest.count, rest)
    }

    /// Every place is sent to by other means until its connection enables it again.
    package func disableAll() {
        for place in entries.indices { entries[place].descriptor = -1 }
    }

    /// The messages that were sent at the place, which is counted anew from here on.
    package func takeCount(at place: Int) -> Int {
        guard place < entries.count else { return 0 }
        defer { entries[place].sent = 0 }
        return entries[place].sent
    }

    func enable(_ descriptor: Int32, at place: Int) {
        while entries.count <= place { entries.append(Entry()) }
        entries[place].descriptor = descriptor
    }

    func disable(_ place: Int) {
        entries[place].descriptor = -1
    }
}

/// Offers bytes to a socket without waiting; returns how many it took, or the error's number, negative.
package typealias SendNow = (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

/// What the kernel takes of them.
package func offer(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = clinux_send(descriptor, bytes.baseAddress, bytes.count)
    return taken < 0 ? -Int(errno) : taken
}

/// How many bytes that were sent over a socket the other side has not read.
package typealias UnreadNow = (_ descriptor: Int32) -> Int

/// The same as the kernel has it, which counts what it needs for them itself.
package func unread(_ descriptor: Int32) -> Int {
    Int(clinux_unread(descriptor))
}
