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
        return Loopback.connect(socket.descriptor, to: port) ? socket : nil
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
}
