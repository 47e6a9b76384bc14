import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport

/// Debian's GeoClue on a bus of its own, as its own user, with the shipped configuration for the socket of a daemon.
///
/// GeoClue's configuration has a fixed place, so it is put there in a namespace that nobody else sees.
final class GeoClue {
    private static let programs = "/usr/libexec/geoclue-2.0/demos/"
    private static let isOwned = "org.freedesktop.DBus.NameHasOwner"
    private static let name = "string:org.freedesktop.GeoClue2"

    private let folder: TemporaryFolder
    private let bus: PrivateBus
    private let service: LoggedProcess
    private let agent: LoggedProcess

    /// What GeoClue has logged.
    var log: String { service.output + service.errors }

    init(reading socket: String) throws {
        folder = try TemporaryFolder()
        bus = try PrivateBus(.systemOfGeoClue)
        let address = bus.environment
        let own = try folder.write(Self.configuration(reading: socket), to: "geoclue.conf")
        let service = try LoggedProcess(
            "unshare",
            [
                "--mount", "--propagation", "private", "sh", "-c",
                "mount --bind \"$0\" /etc/geoclue/geoclue.conf && "
                    + "exec setpriv --reuid=geoclue --regid=geoclue --clear-groups /usr/libexec/geoclue",
                own,
            ], environment: address.merging(["G_MESSAGES_DEBUG": "Geoclue", "HOME": "/nonexistent"]) { $1 })
        let owner = ["--system", "--print-reply", "--dest=org.freedesktop.DBus", "/", Self.isOwned, Self.name]
        try waitUntil("GeoClue is on the bus", details: { service.errors }) {
            let question = try LoggedProcess("dbus-send", owner, environment: address)
            return try question.wait() == 0 && question.output.contains("boolean true")
        }
        self.service = service
        agent = try LoggedProcess(Self.programs + "agent", [], environment: address)
    }

    /// Starts the program that prints each location GeoClue gives it, for as long as it lives.
    func whereAmI() throws -> LoggedProcess {
        try LoggedProcess(
            Self.programs + "where-am-i", ["--timeout=300", "--accuracy-level=8"],
            environment: bus.environment)
    }

    /// What is shipped for GeoClue, with the daemon's own path; every other source is off, and the one that looks
    /// beyond the machine even so finds nobody.
    private static func configuration(reading socket: String) throws -> String {
        let shipped = try String(
            contentsOf: Repository.root.appendingPathComponent("config/geoclue/90-locationd.conf"), encoding: .utf8)
        let off = ["3g", "cdma", "modem-gps", "wifi", "compass"].map { "[\($0)]\nenable=false\n" }
        return shipped.replacingOccurrences(of: "/run/locationd/nmea.sock", with: socket) + off.joined()
            + "[wifi]\nurl=http://127.0.0.1:9/\n[agent]\nwhitelist=geoclue-demo-agent\n"
            + "[geoclue-where-am-i]\nallowed=true\nsystem=true\nusers=\n"
    }
}
