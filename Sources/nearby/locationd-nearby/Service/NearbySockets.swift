import Glibc
import ServiceKit
import ServiceServer

/// The sockets of the service: those of the flags, or else those that systemd passes.
struct NearbySockets {
    private static let (provider, control) = ("provider", "control")

    private let inherited: InheritedSockets
    private let flags: NearbyFlags

    /// - Throws: which of systemd's sockets cannot be used, or that there is none to tell positions at.
    init(_ flags: NearbyFlags, _ environment: ServiceEnvironment) throws {
        self.flags = flags
        inherited = try InheritedSockets(
            names: environment.socketNames(), required: [Self.provider], optional: [Self.control])
        guard providerPath != nil else { throw NoSocket() }
    }

    /// Where positions are told.
    var providerPath: String? { flags.socketPath ?? inherited[Self.provider]?.path }
    /// Where administrators are served.
    var controlPath: String? { flags.controlPath ?? inherited[Self.control]?.path }

    func listenForDaemon() throws -> ListeningSocket {
        guard let socket = try listen(flags.socketPath, Self.provider) else { throw NoSocket() }
        return socket
    }

    func listenForAdministrators() throws -> ListeningSocket? { try listen(flags.controlPath, Self.control) }

    private func listen(_ path: String?, _ name: String) throws -> ListeningSocket? {
        if let path { return try ListeningSocket.bind(path: path, mode: 0o600, group: nil) }
        return inherited[name].map { ListeningSocket(inherited: $0.descriptor) }
    }

    /// Removes what this program has made.
    func remove() {
        for path in [flags.socketPath, flags.controlPath] { if let path { unlink(path) } }
    }
}

private struct NoSocket: Error, CustomStringConvertible {
    let description = "systemd passes no socket; start locationd-nearby.socket too, or name a path by --socket"
}
