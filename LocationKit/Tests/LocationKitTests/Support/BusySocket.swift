import Glibc
import TestSupport

/// A daemon's socket with room for one pending connection, which is never answered.
final class BusySocket: Sendable {
    private let listener: Int32

    init(_ path: String) throws {
        listener = try SocketFile.listener(at: path, backlog: 0)
    }

    deinit { close(listener) }

    /// Waits for the next connection, accepts it and closes it.
    func turnOneAway() throws {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 30_000) == 1 else { throw Failure("nobody calls") }
        close(accept(listener, nil, nil))
    }
}
