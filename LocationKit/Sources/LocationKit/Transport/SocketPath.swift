import Glibc

/// The paths of the services' sockets.
public enum SocketPath {
    /// The environment variable that names another socket.
    public static let environmentVariable = "LOCATIOND_SOCKET"

    /// The environment variable that names another socket of the places service.
    public static let placesEnvironmentVariable = "LOCATIOND_PLACES_SOCKET"

    /// The public socket: `LOCATIOND_SOCKET`, else `/run/locationd/locationd.sock`.
    public static var location: String {
        fromEnvironment ?? "/run/locationd/locationd.sock"
    }

    /// The places service's socket: `LOCATIOND_PLACES_SOCKET`, else `/run/locationd/places.sock`.
    public static var places: String {
        value(of: placesEnvironmentVariable) ?? "/run/locationd/places.sock"
    }

    /// The control socket for administrators if the caller has access to it, else the public one.
    @_spi(Programs) public static var mostPrivileged: String { control ?? location }

    /// `LOCATIOND_SOCKET`, else the control socket; `nil` if the caller has no access to it.
    @_spi(Programs) public static var control: String? {
        if let fromEnvironment { return fromEnvironment }
        let control = "/run/locationd/control.sock"
        return access(control, R_OK | W_OK) == 0 ? control : nil
    }

    private static var fromEnvironment: String? { value(of: environmentVariable) }

    private static func value(of variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        let path = String(cString: value)
        return path.isEmpty ? nil : path
    }
}
