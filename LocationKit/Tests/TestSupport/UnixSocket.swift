import Glibc

/// A client's socket, for bytes that no library of ours would send.
package final class UnixSocket {
    private var descriptor: Int32

    package init(path: String) throws {
        descriptor = try SocketFile.connection(to: path)
    }

    /// Takes a connected socket over.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Takes the next connection of a listening socket; `nil` if none has come.
    package init?(acceptedBy listener: Int32) {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return nil }
        descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Gives the descriptor away.
    package func release() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    package func write(_ bytes: [UInt8]) throws {
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure("not sent: \(errno)")
        }
    }

    /// - Returns: what has come, nothing at the end of the stream, `nil` if the time is over.
    package func read(forMilliseconds milliseconds: Int32) throws -> [UInt8]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}
