import Glibc

/// Where a service listens: at a socket of its own that a flag names, or else at one that systemd passes.
package struct ServiceEndpoint: Sendable {
    package let path: String
    /// `nil` for a socket of the service's own.
    private let inherited: Int32?

    /// - Parameters:
    ///   - own: the path that a flag names, which replaces systemd's socket.
    ///   - inherited: the path and descriptor of systemd's socket.
    /// - Returns: `nil` if there is neither.
    package init?(_ own: String?, or inherited: (path: String, descriptor: Int32)?) {
        guard let path = own ?? inherited?.path else { return nil }
        (self.path, self.inherited) = (path, own == nil ? inherited?.descriptor : nil)
    }

    package var isOwn: Bool { inherited == nil }

    /// - Parameter mode: the permissions of the service's own socket; systemd's socket has those of its unit.
    package func listen(mode: UInt32 = 0o600) throws(ListeningSocket.Failure) -> ListeningSocket {
        if let inherited { return ListeningSocket(inherited: inherited) }
        return try ListeningSocket.bind(path: path, mode: mode, group: nil)
    }

    /// Removes the service's own socket.
    package func remove() { if isOwn { unlink(path) } }
}
