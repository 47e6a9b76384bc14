import Glibc
import ServiceKit
import ServiceServer

/// The sockets of the service: those of the flags, or else those that systemd passes.
struct NearbySockets {
    /// For the daemon, to which positions are told.
    let provider: Endpoint
    /// For administrators; `nil` if they are served nowhere.
    let control: Endpoint?

    /// For the pages, at which places can be learned; `nil` if systemd passes none.
    let link: Endpoint?

    /// - Throws: which of systemd's sockets cannot be used, or that there is none to tell positions at.
    init(_ flags: NearbyFlags, _ environment: ServiceEnvironment) throws {
        let inherited = try InheritedSockets(
            names: environment.socketNames(), required: ["provider"], optional: ["control", "link"])
        guard let provider = Endpoint(flags.socketPath, inherited["provider"]) else { throw NoSocket() }
        self.provider = provider
        control = Endpoint(flags.controlPath, inherited["control"])
        link = Endpoint(nil, inherited["link"])
    }

    /// Removes what this program has made.
    func remove() {
        provider.remove()
        control?.remove()
    }

    /// Where one of them is.
    struct Endpoint {
        let path: String
        /// `nil` for a socket of the program's own.
        private let inherited: Int32?

        /// - Parameter own: the path that a flag names, which replaces systemd's socket.
        fileprivate init?(_ own: String?, _ inherited: InheritedSockets.Socket?) {
            guard let path = own ?? inherited?.path else { return nil }
            self.path = path
            self.inherited = own == nil ? inherited?.descriptor : nil
        }

        func listen() throws -> ListeningSocket {
            if let inherited { return ListeningSocket(inherited: inherited) }
            return try ListeningSocket.bind(path: path, mode: 0o600, group: nil)
        }

        fileprivate func remove() { if inherited == nil { unlink(path) } }
    }
}

private struct NoSocket: Error, CustomStringConvertible {
    let description = "systemd passes no socket; start locationd-nearby.socket too, or name a path by --socket"
}
