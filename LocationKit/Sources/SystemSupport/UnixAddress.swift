import Glibc

/// Where a Unix socket is, as the kernel takes it.
@_spi(Programs) public struct UnixAddress: Sendable {
    private var address = sockaddr_un()

    /// - Returns: `nil` if the path is longer than a socket's may be: 107 bytes.
    @_spi(Programs) public init?(_ path: String) {
        let bytes = path.utf8
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Binds a socket there, as bind(2) does.
    ///
    /// - Returns: 0, or the system's number of what failed.
    @_spi(Programs) public func bind(_ descriptor: Int32) -> Int32 { call(Glibc.bind, descriptor) }

    /// Connects a socket to the one there, as connect(2) does.
    ///
    /// - Returns: 0, or the system's number of what failed.
    @_spi(Programs) public func connect(_ descriptor: Int32) -> Int32 { call(Glibc.connect, descriptor) }

    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32
    ) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
    }
}
