import DaemonConfiguration
import Glibc
import LocationInterface
import LocationServer
import Logging
import VarlinkServer

/// The socket of the bridge to GeoClue.
enum NMEASocket {
    /// Makes the socket in a directory, for one group to read.
    ///
    /// A group that does not exist, or that the process may not give, shuts its members out and nothing else.
    /// - Returns: `nil` if the configuration wants none.
    /// - Throws: what is in the way, in words.
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
