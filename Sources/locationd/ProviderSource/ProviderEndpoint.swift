@_spi(Programs) import SystemSupport

/// Where a provider is, who it has to be, and by what means it knows positions.
package struct ProviderEndpoint: Sendable, Hashable {
    /// The means by which a provider knows positions, in the words of the configuration.
    package enum Method: String, Sendable, CaseIterable {
        /// Radio stations that are heard.
        case network
        /// A receiver of satellites' signals.
        case gnss
        /// The machine's own movement.
        case deadReckoning = "dead-reckoning"
    }

    /// The path of its socket.
    package var path: String
    /// The user who has to own the socket, by name or number; `nil` for the daemon's own user and root alone.
    package var user: String?
    package var method = Method.network

    package init(path: String) { self.path = path }

    /// Whether that user may give positions: root, who starts sockets for others, the daemon's own user, or the
    /// configured one.
    func isTrusted(uid: UInt32, own: UInt32) -> Bool {
        guard uid != 0, uid != own else { return true }
        guard let user else { return false }
        return (UInt32(user) ?? UserTable.uid(of: user)) == uid
    }
}
