package import NIOCore

/// Where a message goes to many at once: the descriptors of those who can take it now, side by side, so that telling
/// thousands touches nothing else of them, which a processor would have to fetch from memory for each.
///
/// Ownership: everything here belongs to the event loop of the connections. An outlet is open only while its
/// ``Connection`` would do nothing but send(2), and the connection itself shuts it before that changes; so no descriptor
/// is used after it was closed, and no message comes between the parts of another.
package final class Outlets {
    private struct Outlet {
        /// -1 while it is shut.
        var descriptor: Int32 = -1
        /// Messages since the last ``take(at:)``.
        var sent = 0
    }

    private var outlets: ContiguousArray<Outlet> = []

    private let sendNow: SendNow

    package init(sendNow: @escaping SendNow = offer) {
        self.sendNow = sendNow
    }

    /// Sends the message at the open ones of these places.
    /// - Returns: how many took it whole, and the places that did not, each with the bytes that were taken there.
    package func send(_ message: ByteBuffer, at places: [Int]) -> (whole: Int, rest: [(place: Int, taken: Int)]) {
        var rest: [(place: Int, taken: Int)] = []
        outlets.withUnsafeMutableBufferPointer { outlets in
            message.withUnsafeReadableBytes { bytes in
                for place in places {
                    let descriptor = place < outlets.count ? outlets[place].descriptor : -1
                    let taken = descriptor < 0 ? 0 : sendNow(descriptor, bytes)
                    if taken == bytes.count, descriptor >= 0 {
                        outlets[place].sent += 1
                    } else {
                        rest.append((place, max(0, taken)))
                    }
                }
            }
        }
        return (places.count - rest.count, rest)
    }

    /// Whoever is at any place is sent to by other means, until its connection is lent again.
    package func shutAll() {
        for place in outlets.indices { outlets[place].descriptor = -1 }
    }

    /// The messages that were sent at the place; it begins anew.
    package func take(at place: Int) -> Int {
        guard place < outlets.count else { return 0 }
        defer { outlets[place].sent = 0 }
        return outlets[place].sent
    }

    func open(_ descriptor: Int32, at place: Int) {
        while outlets.count <= place { outlets.append(Outlet()) }
        outlets[place].descriptor = descriptor
    }

    func shut(_ place: Int) {
        outlets[place].descriptor = -1
    }
}
