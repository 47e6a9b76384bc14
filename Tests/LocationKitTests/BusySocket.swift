import Glibc
import TestSupport

/// A daemon's socket that takes one caller into its queue, and answers nobody.
final class BusySocket: Sendable {
    private let listener: Int32

    init(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map { bind(listener, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) }
        }
        guard code == 0, listen(listener, 0) == 0 else { throw Failure("cannot listen at \(path)") }
    }

    deinit { close(listener) }

    /// Takes the next caller, waiting for one, and ends its connection.
    func turnOneAway() throws {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 30_000) == 1 else { throw Failure("nobody calls") }
        close(accept(listener, nil, nil))
    }
}
