import Glibc

/// A TCP socket bound to a port of 127.0.0.1. While it listens, the kernel completes the connections in its queue,
/// whether or not they are accepted.
package final class LoopbackListener: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - listens: false refuses connections until ``listen()``.
    package init(port wanted: UInt16 = 0, listens: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw Failure("no port: \(String(cString: strerror(errno)))") }
        if listens { try listen() }
    }

    deinit { close(descriptor) }

    package func listen() throws {
        guard Glibc.listen(descriptor, 64) == 0 else { throw Failure("not listening: \(errno)") }
    }
}
