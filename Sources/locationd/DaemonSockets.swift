import Glibc
import LocationInterface
import LocationServer
import Systemd

/// The sockets clients come to: those that systemd passes, or else the daemon's own.
struct DaemonSockets: ~Copyable {
    let location: ListeningSocket
    let control: ListeningSocket
    /// Where clients find them.
    let locationPath: String
    let controlPath: String
    /// The paths that the daemon has made, and takes away when it ends.
    let ownPaths: [String]

    /// - Throws: why clients could not be served, in words, with the next step.
    static func open(_ inherited: InheritedSockets, directory: String, group: UInt32?) throws -> DaemonSockets {
        let names = SocketKind.self
        if let location = inherited[names.location.rawValue], let control = inherited[names.control.rawValue] {
            return DaemonSockets(
                location: ListeningSocket(inherited: location.descriptor),
                control: ListeningSocket(inherited: control.descriptor),
                locationPath: location.path, controlPath: control.path, ownPaths: [])
        }
        try Directory.prepare(directory, mode: 0o755, flag: "--runtime-directory")
        let paths = [SocketName.location, SocketName.control].map { "\(directory)/\($0)" }
        return DaemonSockets(
            location: try ListeningSocket.bind(path: paths[0], mode: 0o666, group: nil),
            control: try ListeningSocket.bind(path: paths[1], mode: 0o660, group: group),
            locationPath: paths[0], controlPath: paths[1], ownPaths: paths)
    }
}
