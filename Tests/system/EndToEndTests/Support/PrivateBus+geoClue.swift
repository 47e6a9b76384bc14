import ClientTestSupport
import ProgramTestSupport

extension PrivateBus {
    /// Starts locationd-bridge as the service of GeoClue's interface on this bus.
    ///
    /// - Returns: when it has the name.
    func serveGeoClue(from daemon: DaemonProcess, variables: [String: String] = [:]) throws -> LoggedProcess {
        let bridge = try LoggedProcess(
            Products.path(of: "locationd-bridge"), ["--daemon", daemon.control, "--geoclue", "--log-level", "debug"],
            environment: environment.merging(variables) { $1 })
        try waitUntil("it has the name", details: { bridge.errors }) {
            if let code = bridge.exitCode { throw Failure("it ended with \(code): \(bridge.errors)") }
            return bridge.errors.contains("serving")
        }
        return bridge
    }

    /// The demonstration program of Debian's GeoClue.
    func whereAmI(_ arguments: String..., uid: UInt32? = nil) throws -> LoggedProcess {
        var command = ["stdbuf", "-oL", "/usr/libexec/geoclue-2.0/demos/where-am-i", "-t", "100"] + arguments
        if let uid { command = ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + command }
        return try LoggedProcess(command[0], Array(command.dropFirst()), environment: environment)
    }
}
