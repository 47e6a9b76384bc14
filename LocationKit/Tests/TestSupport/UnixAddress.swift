import Glibc

/// Where a Unix socket is, as the kernel takes it.
package struct UnixAddress {
    private var address = sockaddr_un()

    /// - Throws: if the path is longer than a socket's may be.
    package init(_ path: String) throws {
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure("\(path) is too long for a socket")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    }

    /// - Returns: false with the reason in `errno`.
    package func bind(_ descriptor: Int32) -> Bool {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// - Returns: false with the reason in `errno`.
    package func connect(_ descriptor: Int32) -> Bool {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Makes a socket that listens at a path, for the caller to close.
    package static func listener(at path: String, backlog: Int32 = 16) throws -> Int32 {
        try descriptor(path) { $0.bind($1) && listen($1, backlog) == 0 }
    }

    /// Makes a socket that is connected to a path, for the caller to close.
    package static func connection(to path: String) throws -> Int32 {
        try descriptor(path) { $0.connect($1) }
    }

    private static func descriptor(_ path: String, _ isSetUp: (UnixAddress, Int32) -> Bool) throws -> Int32 {
        let address = try UnixAddress(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(String(cString: strerror(errno)))") }
        guard isSetUp(address, descriptor) else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure("\(path): \(reason)")
        }
        return descriptor
    }
}
