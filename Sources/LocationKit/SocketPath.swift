import Glibc

/// Where the daemon's sockets lie.
public enum SocketPath {
    /// The environment variable that names another socket.
    public static let environmentVariable = "LOCATIOND_SOCKET"

    /// The socket everybody may connect to: `LOCATIOND_SOCKET`, else `/run/locationd/locationd.sock`.
    public static var location: String {
        fromEnvironment ?? "/run/locationd/locationd.sock"
    }

    /// The administrators' socket, where the caller may use it, else the one for everybody.
    package static var mostPrivileged: String {
        if let fromEnvironment { return fromEnvironment }
        let control = "/run/locationd/control.sock"
        return access(control, R_OK | W_OK) == 0 ? control : location
    }

    private static var fromEnvironment: String? {
        guard let value = getenv(environmentVariable) else { return nil }
        let path = String(cString: value)
        return path.isEmpty ? nil : path
    }
}
