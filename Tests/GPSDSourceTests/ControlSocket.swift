import Glibc
import TestSupport

/// gpsd's socket for administrators.
final class ControlSocket {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure("no control socket at \(path): \(errno)") }
    }

    deinit { close(descriptor) }

    func ask(_ request: String) throws -> String {
        let bytes = Array(request.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure("not asked: \(errno)") }
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, 10_000) > 0 else { throw Failure("gpsd does not answer") }
        var answer = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &answer, answer.count)
        return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
    }
}
