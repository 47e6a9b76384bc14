import DaemonConfiguration
import Glibc
@_spi(Programs) import LocationInterface
import LocationServer
import Logging
import ServiceKit
import ServiceServer

/// The listening sockets: those that systemd passes, or else the daemon's own.
struct DaemonSockets: ~Copyable {
    let location: ListeningSocket
    let control: ListeningSocket
    let nmea: ListeningSocket?
    /// The paths that clients connect to.
    let paths: (location: String, control: String)
    /// The paths of sockets that the daemon has created, and removes when it ends.
    let ownPaths: [String]

    /// The names under which systemd passes the sockets; the last may be missing.
    static let names = [SocketKind.location, .control, .nmea].map(\.rawValue)

    /// - Throws: why clients cannot be served, and the next step, in words.
    static func open(
        _ inherited: InheritedSockets, directory: String, group: UInt32?, nmea: Configuration.NMEA, logger: Logger
    ) throws -> DaemonSockets {
        guard let location = inherited[names[0]], let control = inherited[names[1]] else {
            return try bind(in: directory, group, nmea, logger)
        }
        let bridge = inherited[names[2]]
        if bridge == nil, nmea.enabled {
            logger.warning(
                "the NMEA socket is configured, but systemd does not pass it",
                metadata: ["advice": "systemctl enable --now locationd-nmea.socket, then restart"])
        }
        return DaemonSockets(
            location: ListeningSocket(inherited: location.descriptor),
            control: ListeningSocket(inherited: control.descriptor),
            nmea: bridge.map { ListeningSocket(inherited: $0.descriptor) },
            paths: (location.path, control.path), ownPaths: [])
    }

    private static func bind(
        in directory: String, _ group: UInt32?, _ settings: Configuration.NMEA, _ logger: Logger
    ) throws -> DaemonSockets {
        try Directory.prepare(directory, mode: 0o755, flag: "--runtime-directory")
        let paths = [SocketName.location, SocketName.control, SocketName.nmea].map { "\(directory)/\($0)" }
        return DaemonSockets(
            location: try ListeningSocket.bind(path: paths[0], mode: 0o666, group: nil),
            control: try ListeningSocket.bind(path: paths[1], mode: 0o660, group: group),
            nmea: try NMEASocket.bind(in: directory, settings, logger: logger),
            paths: (paths[0], paths[1]), ownPaths: settings.enabled ? paths : Array(paths.prefix(2)))
    }
}

/// The NMEA socket, the bridge to GeoClue.
enum NMEASocket {
    /// Creates the socket in a directory, readable for one group.
    ///
    /// If the group does not exist, or the process may not assign it, only its members are affected: they cannot
    /// connect.
    /// - Returns: `nil` if the configuration has the socket disabled.
    /// - Throws: what failed, in words.
    static func bind(in directory: String, _ settings: Configuration.NMEA, logger: Logger) throws -> ListeningSocket? {
        guard settings.enabled else { return nil }
        let path = "\(directory)/\(SocketName.nmea)"
        let group = getgrnam(settings.group)?.pointee.gr_gid
        let socket = try ListeningSocket.bind(path: path, mode: 0o660, group: group)
        var status = stat()
        if group == nil {
            warn("the group of the NMEA socket does not exist", "install geoclue-2.0 or change nmea.group")
        } else if lstat(path, &status) == 0, status.st_gid != group {
            warn("the NMEA socket cannot be given to its group", "add the daemon's user to the group")
        }
        func warn(_ message: Logger.Message, _ advice: String) {
            logger.warning(message, metadata: ["group": "\(settings.group)", "advice": "\(advice), then restart"])
        }
        return socket
    }
}
