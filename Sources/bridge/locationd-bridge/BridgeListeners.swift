import Bridge
import Glibc
import ServiceKit
import ServiceServer

/// Where the bridge listens: on the sockets that systemd passes, and on its own.
struct BridgeListeners {
    let gpsd: [ServiceSockets.Endpoint]
    /// The Unix socket that the bridge has created, and removes when it ends.
    let ownPath: String?
    /// Whether systemd starts the bridge again for whoever connects next: it listens on systemd's sockets alone.
    let areAllInherited: Bool

    /// The names under which systemd passes the sockets, each of which may be missing.
    private static let names = ["gpsd", "gpsd-ipv6", "gpsd-unix"]

    /// - Throws: which socket is unusable or cannot be created, and what to do.
    init(_ configuration: BridgeConfiguration.GPSD, _ environment: ServiceEnvironment) throws {
        let inherited = try InheritedSockets(
            names: environment.socketNames(), required: [], optional: Self.names, internet: ["gpsd", "gpsd-ipv6"])
        let passed = Self.names.compactMap { inherited[$0] }.map { ServiceSockets.Endpoint.inherited($0.descriptor) }
        var own = configuration.listen.map { ServiceSockets.Endpoint.tcp(host: $0.host, port: $0.port) }
        if let path = configuration.socket {
            own.append(.inherited(try ListeningSocket.bind(path: path, mode: 0o666, group: nil).listen()))
        }
        gpsd = passed + own
        ownPath = configuration.socket
        areAllInherited = own.isEmpty
    }

    func removeOwnPath() {
        if let ownPath { unlink(ownPath) }
    }
}
