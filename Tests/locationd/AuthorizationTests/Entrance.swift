import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport

/// A listening socket with the connections that came in; all are closed with it.
final class Entrance: Sendable {
    let path: String
    private let folder: TemporaryFolder
    private let descriptor: Int32

    init() throws {
        folder = try TemporaryFolder()
        path = folder("socket")
        descriptor = try SocketFile.listener(at: path)
        guard chmod(path, 0o666) == 0 else { throw Failure("cannot listen") }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// The next connection.
    func accept() async throws -> Connected {
        try await blocking { [descriptor] in
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else { throw Failure("nobody came: \(String(cString: strerror(errno)))") }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return Connected(descriptor: connection)
        }
    }
}

/// The near end of a assistant's connection.
final class Connected: Sendable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// What is said next; empty once the other side has closed the connection.
    func hear() async throws -> String {
        try await blocking { [self] in try receiveText(descriptor) }
    }
}
