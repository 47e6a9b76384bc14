@_spi(Programs) import LocationModel

/// Why there are no headings.
enum CompassFailure: Error, Equatable {
    case noLibrary
    /// The system bus cannot be reached, or ended the connection.
    case noBus(String)
    /// Nothing has the name of iio-sensor-proxy, nor can it be started.
    case noProxy
    case refused
    /// The proxy is one without compass support.
    case unsupported
    /// The proxy has found no compass, or it is gone.
    case noCompass
    /// The proxy ended or was replaced.
    case proxyGone
    case silent
    case errorReply(String)

    /// - Parameters:
    ///   - name: of the D-Bus error.
    ///   - message: its explanation, of foreign origin.
    init(error name: String, message: String) {
        let prefix = "org.freedesktop.DBus.Error."
        switch name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name {
        case "ServiceUnknown", "NameHasNoOwner": self = .noProxy
        case let spawn where spawn.hasPrefix("Spawn."): self = .noProxy
        case "AccessDenied", "AuthFailed", "InteractiveAuthorizationRequired": self = .refused
        case "UnknownMethod", "UnknownObject", "UnknownInterface", "UnknownProperty": self = .unsupported
        case "NoReply", "Timeout", "TimedOut": self = .silent
        default: self = .errorReply("\(name): \(message)")
        }
    }

    /// In words, with what to do.
    var reason: String {
        switch self {
        case .noLibrary: "the compass needs libsystemd; install libsystemd0"
        case .noBus(let cause): "the system bus cannot be used (\(cause)); see `systemctl status dbus`"
        case .noProxy: "iio-sensor-proxy is not running; install it, or see `systemctl status iio-sensor-proxy`"
        case .refused:
            "iio-sensor-proxy does not give this user the compass; see `kind compass` in locationd.toml(5)"
        case .unsupported: "this iio-sensor-proxy knows no compass; version 2.0 or later is needed"
        case .noCompass:
            "iio-sensor-proxy has found no compass; `ls /sys/bus/iio/devices/*/name` shows the sensors of this machine"
        case .proxyGone: "iio-sensor-proxy has ended; see `systemctl status iio-sensor-proxy`"
        case .silent: "iio-sensor-proxy does not answer; `sudo systemctl restart iio-sensor-proxy` helps"
        case .errorReply(let text):
            "iio-sensor-proxy answers with an error: \(String(text.prefix(200)).escapingUnprintable())"
        }
    }
}
