package import Glibc

/// The machine's own address, for TCP sockets.
package enum Loopback {
    /// Calls `body` with 127.0.0.1 and the port.
    package static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    /// - Parameter isIPv6: whether it is to `::1` instead of `127.0.0.1`.
    /// - Returns: whether somebody listens there; `errno` says why not.
    package static func connect(_ descriptor: Int32, to port: UInt16, isIPv6: Bool = false) -> Bool {
        guard isIPv6 else { return withAddress(port) { Glibc.connect(descriptor, $0, $1) } == 0 }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }
}
