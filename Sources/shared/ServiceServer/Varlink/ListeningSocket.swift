import CLinux
import Glibc
@_spi(Programs) import SystemSupport

/// A Unix socket that is bound to a path and does not listen yet.
package struct ListeningSocket: ~Copyable {
    private let descriptor: Int32

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Binds `path`. A socket without a listening daemon is replaced; one with a listening daemon is left alone.
    ///
    /// Permissions are set before any client can connect: between `bind` and `listen` connections are refused.
    /// - Throws: what failed and the next step, in words.
    package static func bind(path: String, mode: UInt32, group: UInt32?) throws(Failure) -> ListeningSocket {
        guard let address = UnixAddress(path) else {
            throw Failure(
                description: "\(path) is too long for a socket (107 bytes at most); choose a shorter directory")
        }
        try clear(path, address)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("open a socket for", path) }
        let socket = ListeningSocket(descriptor: descriptor)
        let code = address.bind(descriptor)
        guard code == 0 else { throw failure("create", path, code) }
        // A group that the process may not assign is no error: the socket then keeps the group of the process.
        if let group { _ = chown(path, uid_t.max, group) }
        guard chmod(path, mode) == 0 else { throw failure("set the permissions of", path) }
        return socket
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// A socket that another process has bound, and that may listen already.
    package init(inherited descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The maximum number of connections waiting to be accepted; the kernel limits it to net.core.somaxconn.
    private static let backlog: Int32 = 4096

    /// Starts to listen and returns the non-blocking descriptor, which the caller closes.
    ///
    /// If the socket listens already, as one passed by systemd does, this sets the length of its backlog.
    package consuming func listen() throws(Failure) -> Int32 {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            Glibc.listen(descriptor, Self.backlog) == 0
        else { throw Failure(description: "cannot listen on a socket: \(String(cString: strerror(errno)))") }
        return release()
    }

    /// Returns the descriptor, which the caller closes.
    package consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    private static func clear(_ path: String, _ address: UnixAddress) throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw Failure(description: "\(path) exists and is not a socket; remove it or choose another directory")
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { throw failure("open a socket for", path) }
        defer { close(probe) }
        let code = address.connect(probe)
        // EAGAIN means a full backlog: a daemon listens there too.
        if code == 0 || code == EAGAIN {
            var peer = clinux_peer()
            let who = clinux_peer_credentials(probe, &peer) == 0 && peer.pid > 0 ? " (pid \(peer.pid))" : ""
            throw Failure(description: "another process\(who) already serves \(path); stop it first")
        }
        guard code == ECONNREFUSED else { throw failure("examine", path, code) }
        guard unlink(path) == 0 else { throw failure("replace", path) }
    }

    private static func failure(_ verb: String, _ path: String, _ code: Int32 = errno) -> Failure {
        Failure(description: "cannot \(verb) \(path): \(String(cString: strerror(code)))")
    }
}
