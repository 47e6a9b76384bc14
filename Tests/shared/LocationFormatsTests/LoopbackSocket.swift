import Glibc
import ProgramTestSupport

/// A TCP socket to or at this machine itself.
final class LoopbackSocket {
    private let descriptor: Int32

    private init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
    }

    deinit { close(descriptor) }

    /// - Returns: `nil` if nobody listens there.
    static func connected(to port: UInt16) throws -> LoopbackSocket? {
        let socket = try LoopbackSocket()
        var address = address(port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket.descriptor, $0, addressLength) }
        }
        return status == 0 ? socket : nil
    }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure("not sent: \(errno)") }
    }

    /// What has come, after waiting so long for it at most. Without a socket this is a pause.
    static func bytes(from socket: LoopbackSocket?, forMilliseconds milliseconds: Int32) throws -> [UInt8] {
        // poll passes over a negative descriptor, and waits.
        var wait = pollfd(fd: socket?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(wait.fd, &bytes, bytes.count)
        guard count > 0 else { throw Failure("the connection is closed") }
        return Array(bytes.prefix(count))
    }

    private static let addressLength = socklen_t(MemoryLayout<sockaddr_in>.size)

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
