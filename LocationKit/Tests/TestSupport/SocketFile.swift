import Glibc
@_spi(Programs) import SystemSupport

/// The path of a Unix socket, for tests that make the socket themselves.
package struct SocketFile {
    private let address: UnixAddress

    /// - Throws: if the path is longer than a socket's may be.
    package init(_ path: String) throws {
        guard let address = UnixAddress(path) else { throw Failure("\(path) is too long for a socket") }
        self.address = address
    }

    /// - Returns: false with the reason in `errno`.
    package func bind(_ descriptor: Int32) -> Bool { succeeds(address.bind(descriptor)) }

    /// - Returns: false with the reason in `errno`.
    package func connect(_ descriptor: Int32) -> Bool { succeeds(address.connect(descriptor)) }

    private func succeeds(_ code: Int32) -> Bool {
        errno = code
        return code == 0
    }

    /// Makes a socket that listens at a path, for the caller to close.
    package static func listener(at path: String, backlog: Int32 = 16) throws -> Int32 {
        try descriptor(path) { $0.bind($1) && listen($1, backlog) == 0 }
    }

    /// Makes a socket that is connected to a path, for the caller to close.
    package static func connection(to path: String) throws -> Int32 {
        try descriptor(path) { $0.connect($1) }
    }

    /// Whether the other end of a connection has read all that was sent to it.
    package static func isRead(_ descriptor: Int32) -> Bool {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count == 0
    }

    private static func descriptor(_ path: String, _ isSetUp: (SocketFile, Int32) -> Bool) throws -> Int32 {
        let file = try SocketFile(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(String(cString: strerror(errno)))") }
        guard isSetUp(file, descriptor) else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure("\(path): \(reason)")
        }
        return descriptor
    }
}
