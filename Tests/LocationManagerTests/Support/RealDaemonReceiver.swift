import Glibc
import TestSupport

/// A local TCP port that accepts connections and never sends anything.
final class RealDaemonReceiver: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw Failure("no socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, code) = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                // The kernel completes the connections in the queue; nothing has to accept them.
                let code = bind(listener, address, length) == 0 && listen(listener, 16) == 0
                return (listener, code && getsockname(listener, address, &length) == 0)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard code else {
            close(listener)
            throw Failure("no port is free")
        }
    }

    deinit {
        close(listener)
    }
}
