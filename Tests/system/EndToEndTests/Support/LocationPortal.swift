import Foundation
import ProgramTestSupport

/// Debian's xdg-desktop-portal and its permission store on a session bus of their own, over another test's system bus.
///
/// The portal's dialogue belongs to nobody: what the store does not say is refused.
final class LocationPortal {
    private static let name = "org.freedesktop.portal.Desktop"
    private static let store = "org.freedesktop.impl.portal.PermissionStore"
    private static let backend = """
        [portal]
        DBusName=org.freedesktop.impl.portal.desktop.nobody
        Interfaces=org.freedesktop.impl.portal.Access
        UseIn=
        """

    private let folder: TemporaryFolder
    private let session: PrivateBus
    private let permissions: LoggedProcess
    private let portal: LoggedProcess

    /// What the portal has logged.
    var log: String { portal.output + portal.errors }

    /// What has programs use it.
    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": session.address] }

    /// Returns when programs can use it.
    init(systemBus: PrivateBus) throws {
        folder = try TemporaryFolder()
        session = try PrivateBus(.session)
        let portals = try folder.makeFolder("portals")
        try folder.write(Self.backend, to: "portals/nobody.portal")
        // From 1.17 on the portal takes what this names.
        try folder.write("[preferred]\ndefault=nobody\n", to: "portals/portals.conf")
        let environment = systemBus.environment.merging([
            "DBUS_SESSION_BUS_ADDRESS": session.address, "XDG_DESKTOP_PORTAL_DIR": portals,
            "HOME": folder.path, "XDG_DATA_HOME": folder("data"), "XDG_RUNTIME_DIR": folder.path,
        ]) { $1 }
        permissions = try LoggedProcess("/usr/libexec/xdg-permission-store", [], environment: environment)
        try Self.awaitName(Self.store, session, permissions)
        portal = try LoggedProcess("/usr/libexec/xdg-desktop-portal", ["--verbose"], environment: environment)
        try Self.awaitName(Self.name, session, portal)
    }

    private static func awaitName(_ name: String, _ bus: PrivateBus, _ process: LoggedProcess) throws {
        try waitUntil("\(name) is on the bus", details: { process.output + process.errors }) {
            if let code = process.exitCode { throw Failure("it ended with \(code): \(process.errors)") }
            return try bus.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "string:" + name
            ).contains("true")
        }
    }

    /// Records what the user has decided for a sandboxed program.
    ///
    /// - Parameter accuracy: the portal's name of an accuracy level.
    func permit(_ application: String, _ accuracy: String) throws {
        _ = try session.call(
            Self.store, "/org/freedesktop/impl/portal/PermissionStore", Self.store + ".SetPermission",
            "string:location", "boolean:true", "string:location", "string:" + application,
            "array:string:\(accuracy),0")
    }

    /// Starts a program that prints the portal's response and each location that it receives.
    ///
    /// - Parameter application: whose sandbox it is in; `nil` for none.
    func startProgram(in application: String? = nil) throws -> LoggedProcess {
        var command = ["/usr/bin/python3", "-c", Self.program]
        if let application {
            // What Flatpak writes for the portal, which from 1.18 on wants the instance and its processes.
            let info = try folder.write(
                "[Application]\nname=\(application)\n[Instance]\ninstance-id=1\n", to: "\(application).info")
            let processes = try folder.write("", to: ".flatpak/1/bwrapinfo.json")
            var sandbox = ["bwrap", "--info-fd", "3", "--proc", "/proc", "--dev", "/dev", "--ro-bind", "/usr", "/usr"]
            for name in ["lib", "lib64", "bin"] { sandbox += ["--symlink", "usr/" + name, "/" + name] }
            sandbox += ["--ro-bind", "/etc", "/etc", "--bind", "/tmp", "/tmp", "--ro-bind", info, "/.flatpak-info"]
            command =
                ["bash", "-c", "exec 3>\"$0\"; exec \"$@\"", processes] + sandbox + ["--die-with-parent"] + command
        }
        return try LoggedProcess(
            command[0], Array(command.dropFirst()),
            environment: environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]) { $1 })
    }

    private static let program = """
        import json, sys
        from gi.repository import Gio, GLib
        name, path, interface = "\(name)", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Location"
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        def call(method, arguments):
            return bus.call_sync(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None)
        def show(bus, sender, path, interface, signal, arguments):
            values = arguments.unpack()[1]
            seconds, microseconds = values["Timestamp"]
            print(json.dumps({
                "latitude": values["Latitude"], "longitude": values["Longitude"], "accuracy": values["Accuracy"],
                "altitude": values["Altitude"] if values["Altitude"] > -sys.float_info.max else None,
                "speed": values["Speed"] if values["Speed"] >= 0 else None,
                "heading": values["Heading"] if values["Heading"] >= 0 else None,
                "milliseconds": seconds * 1000 + microseconds // 1000}), flush=True)
        def respond(bus, sender, path, interface, signal, arguments):
            print("response", arguments.unpack()[0], flush=True)
        bus.signal_subscribe(name, interface, "LocationUpdated", path, None, Gio.DBusSignalFlags.NONE, show)
        bus.signal_subscribe(
            name, "org.freedesktop.portal.Request", "Response", None, None, Gio.DBusSignalFlags.NONE, respond)
        options = {"session_handle_token": GLib.Variant("s", "test")}
        session, = call("CreateSession", GLib.Variant("(a{sv})", (options,))).unpack()
        call("Start", GLib.Variant("(osa{sv})", (session, "", {})))
        GLib.MainLoop().run()
        """
}
