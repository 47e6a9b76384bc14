/// The daemon at one socket, for all managers of this process: they share its connections.
package final class DaemonService: Sendable {
    package let path: String

    private init(path: String) {
        self.path = path
    }

    /// The one for that socket.
    package static func at(_ path: String) -> DaemonService {
        DaemonService(path: path)
    }
}
