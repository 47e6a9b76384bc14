import Foundation
import Glibc

/// A bus of the test's own, which ends with it. It permits what Debian's bus does: the rules are those of Debian's
/// configuration, of the packages whose services the test starts, and of our packages.
package final class PrivateBus: Sendable {
    package enum Kind: Sendable {
        /// With our policies; the test's user has the part of our services' users, and of root where it is not root.
        case system
        /// With the policies of Debian's GeoClue in place of ours: they give root what the bridge's user has not.
        case systemOfGeoClue
        case session
    }

    private let folder: TemporaryFolder
    private let daemon: LoggedProcess
    /// The words before a program's that run it as the bus' user.
    private let asUser: [String]

    /// - Parameters:
    ///   - rules: further rules of its policy, such as what is refused.
    ///   - user: whose it is; a session's bus lets nobody else connect. `nil` for the test's own.
    package init(_ kind: Kind = .system, rules: String = "", of user: OtherUser? = nil) throws {
        let folder = try TemporaryFolder()
        if let user { chown(folder.path, user.number, user.number) }
        asUser = user.map { ["setpriv"] + $0.command } ?? []
        let configuration = try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>custom</type><listen>unix:path=\(folder("bus"))</listen><auth>EXTERNAL</auth>
              \(try Self.policies(of: kind))
              \(rules)
            </busconfig>
            """, to: "bus.conf")
        chmod(configuration, 0o644)
        daemon = try LoggedProcess(
            "env", asUser + ["dbus-daemon", "--config-file", configuration, "--nofork", "--nopidfile"])
        self.folder = folder
        // The socket is there a little before it listens.
        try waitUntil("the bus listens", details: { daemon.errors }) { (try? UnixSocket(path: folder("bus"))) != nil }
    }

    private static func policies(of kind: Kind) throws -> String {
        guard kind != .session else { return try policies(in: "/usr/share/dbus-1/session.conf") }
        let services =
            ["org.freedesktop.PolicyKit1", "net.hadess.SensorProxy"]
            + (kind == .system ? [] : ["org.freedesktop.GeoClue2", "org.freedesktop.GeoClue2.Agent"])
        let own = ["org.locationd", "org.locationd.geoclue"].map { Repository.root.path + "/config/dbus/\($0).conf" }
        // Where Debian 12's and later packages have their policies.
        let debian = services.flatMap { name in
            ["/etc", "/usr/share"].map { "\($0)/dbus-1/system.d/\(name).conf" }
        }.filter { FileManager.default.fileExists(atPath: $0) }
        let files = ["/usr/share/dbus-1/system.conf"] + debian + (kind == .system ? own : [])
        // The last rule is for the tests' commands to python3-dbusmock.
        return try files.map { try policies(in: $0) }.joined()
            + #"<policy context="default"><allow send_interface="org.freedesktop.DBus.Mock"/></policy>"#
    }

    private static func policies(in file: String) throws -> String {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return text.matches(of: #/(?s)<policy.*?<\/policy>/#).map { String($0.output) }.joined(separator: "\n")
            .replacing(#/user="(locationd|locationd-geoclue|root)"/#, with: "user=\"\(getuid())\"")
    }

    package var address: String { "unix:path=" + folder("bus") }

    /// What has programs use this bus as the system bus.
    package var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

    /// Ends it without a chance to say good-bye.
    package func kill() throws {
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
    }

    /// Calls a method by dbus-send, and returns what it prints of the reply.
    package func call(_ destination: String, _ path: String, _ method: String, _ arguments: String...) throws -> String
    {
        let call = try LoggedProcess(
            "env",
            asUser + ["dbus-send", "--bus=" + address, "--print-reply=literal", "--dest=" + destination, path, method]
                + arguments)
        guard try call.wait() == 0 else { throw Failure("\(method): \(call.errors)") }
        return call.output
    }
}
