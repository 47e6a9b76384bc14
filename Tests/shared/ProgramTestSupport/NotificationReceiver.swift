import Glibc
import Synchronization

/// The socket on which systemd would hear a service: what is sent there, message by message, in order.
///
/// Ownership: the messages lie behind a lock; the descriptor is read by whoever asks, one at a time.
package final class NotificationReceiver: Sendable {
    /// What `NOTIFY_SOCKET` has to say.
    package let address: String
    private let descriptor: Int32
    private let heard = Mutex<[String]>([])

    /// - Parameter address: a path, or a name after `@`.
    package init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        var head = sockaddr_un()
        head.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        if address.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &head.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(2 + bytes.count)
        let code = withUnsafePointer(to: &head) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard code == 0 else { throw Failure("\(address): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// All that has been heard so far.
    package var messages: [String] {
        heard.withLock { heard in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(descriptor, &bytes, bytes.count, 0), count >= 0 {
                heard.append(String(decoding: bytes[..<count], as: UTF8.self))
            }
            return heard
        }
    }
}
