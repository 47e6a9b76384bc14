import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Programs that are written for GeoClue, over a bus of the test's own, bridge and daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GeoClueProgramsTests {
    private static let tower = "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n"

    @Test func whereAmISeesWhatTheDaemonSees() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        #expect(gpsd.clients == 0, "nobody wants a fix")
        let watch = try daemon.watch()
        let program = try bus.whereAmI("-a", "8")
        // The receiver's first positions have no accuracy.
        try waitUntil("an accurate location comes", details: { program.output + bridge.errors }) {
            program.output.contains(#/Accuracy: +[0-9]{1,3}\.[^H]+Heading:[^\n]+\n/#)
        }
        let text = try #require(
            program.output.components(separatedBy: "New location").first {
                $0.contains(#/Accuracy: +[0-9]{1,3}\./#)
            })
        func number(_ name: String) throws -> Double {
            let line = try #require(text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) })
            return try #require(
                Double(line.drop { !"-0123456789".contains($0) }.prefix { "-.0123456789".contains($0) }))
        }
        let (latitude, accuracy) = (try number("Latitude:"), try number("Accuracy:"))
        let location = try #require(
            try watch.wait("the same fix") {
                abs(($0.location?.value.coordinate.latitude ?? 0) - latitude) < 1e-6
                    && abs(($0.location?.value.horizontalAccuracy ?? 0) - accuracy) < 1e-3
            }.location?.value)
        #expect(abs(try number("Longitude:") - location.coordinate.longitude) < 1e-6)
        #expect(abs(try number("Speed:") - (location.speed ?? -1)) < 0.01)
        #expect(abs(try number("Heading:") - (location.course ?? -1)) < 0.01)
        #expect(try daemon.locctl("clients").output.contains("GeoClue: geoclue-where-am-i"))
        program.signal(SIGKILL)
        _ = try program.wait()
        try waitUntil("its watch ends with it") { try !daemon.locctl("clients").output.contains("GeoClue:") }
        #expect(bridge.exitCode == nil)
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func administratorDecidesForTheProgramsUser() throws {
        // The bus looks up the groups of a user, who has to exist.
        let uid = try #require(getpwnam("games")?.pointee.pw_uid)
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let program = try bus.whereAmI("-a", "8", uid: uid)
        try waitUntil("it is pending", details: { program.output + program.errors + bridge.errors }) {
            try daemon.locctl("authorizations").output.contains("uid:\(uid)")
        }
        #expect(!program.output.contains("Latitude"))
        #expect(try daemon.locctl("authorize", "uid:\(uid)").code == 0)
        try waitUntil("the decision reaches it", details: { program.output }) { program.output.contains("48.858400") }
        #expect(try daemon.locctl("deny", "uid:\(uid)").code == 0)
        let denied = try bus.whereAmI("-a", "8", uid: uid)
        try waitUntil("it is refused", details: { denied.output + denied.errors }) {
            denied.errors.contains("AccessDenied")
        }
        #expect(!denied.output.contains("Latitude"))
        #expect(try daemon.locctl("audit").output.contains("uid:\(uid)"))
    }

    @Test func levelOfACityIsTheGrid() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let program = try bus.whereAmI("-a", "4")
        try waitUntil("a location comes", details: { program.output + bridge.errors }) {
            program.output.contains("Timestamp:")
        }
        #expect(!program.output.contains("48.858400") && !program.output.contains("2.294500"))
        let accuracy = try #require(program.output.firstMatch(of: #/Accuracy: +([0-9.]+) meters/#)?.1)
        #expect(Double(accuracy) ?? 0 >= 1000)
    }

    /// It states no accuracy level, of which the least is understood, and ends with its first location.
    @Test func redshiftFindsThePlaceOfItsSun() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let reduced = try daemon.watch { $0.reducedAccuracy = true }.awaitLocation().coordinate
        let program = try LoggedProcess(
            "redshift", ["-l", "geoclue2", "-m", "dummy", "-p"], environment: bus.environment)
        #expect(try program.wait() == 0, "\(program.output) \(program.errors) \(bridge.errors)")
        let place = try #require(program.output.firstMatch(of: #/Location: ([0-9.]+) N, ([0-9.]+) E/#)?.output)
        #expect(abs((Double(place.1) ?? 0) - reduced.latitude) <= 0.005 + 1e-9, "\(place) of \(reduced)")
        #expect(abs((Double(place.2) ?? 0) - reduced.longitude) <= 0.005 + 1e-9, "\(place) of \(reduced)")
    }

    @Test func daemonsRestartIsNoNewStart() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let program = try bus.whereAmI("-a", "8")
        try waitUntil("a location comes", details: { program.output }) { program.output.contains("48.858400") }
        try daemon.kill()
        try waitUntil("the bridge has noticed", details: { bridge.errors }) {
            bridge.errors.contains("no answer of locationd")
        }
        let count = program.output.count(of: "Latitude:")
        try daemon.start()
        try waitUntil("locations come again", details: { program.output + bridge.errors }) {
            program.output.count(of: "Latitude:") > count
        }
        #expect(program.exitCode == nil && bridge.exitCode == nil)
    }

    @Test func itYieldsWhereTheNameIsTaken() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let first = try bus.serveGeoClue(from: daemon)
        let second = try LoggedProcess(
            Products.path(of: "locationd-bridge"), ["--daemon", daemon.control, "--geoclue"],
            environment: bus.environment)
        #expect(try second.wait() == 1)
        #expect(second.errors.contains("another program serves GeoClue's interface"), "\(second.errors)")
        #expect(first.exitCode == nil)
    }

    @Test func endOfTheBusIsAnError() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        try bus.kill()
        #expect(try bridge.wait() == 1)
        #expect(bridge.errors.contains("systemctl status dbus"), "\(bridge.errors)")
    }

    /// Agents of a user's session on the bus, in one program: they answer with "exact", from SIGUSR1 on with "none"; or
    /// never.
    private func agents(
        _ bus: PrivateBus, count: Int = 1, answers: Bool, consents: Bool? = nil, uid: UInt32? = nil
    ) throws -> LoggedProcess {
        let script = """
            import dbus, dbus.lowlevel, dbus.mainloop.glib, signal
            from gi.repository import GLib
            dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
            bus = dbus.bus.BusConnection("\(bus.address)")
            level = 8
            def receive(connection, message):
                if message.get_member() == "Get" and message.get_path() == "/org/freedesktop/GeoClue2/Agent":
                    if \(answers ? "True" : "False"):
                        reply = dbus.lowlevel.MethodReturnMessage(message)
                        reply.append(dbus.UInt32(level, variant_level=1))
                        connection.send_message(reply)
                    return dbus.lowlevel.HANDLER_RESULT_HANDLED
                if message.get_member() == "AuthorizeApp" and "\(consents.map { "\($0)" } ?? "")":
                    print("asked about", *message.get_args_list(), flush=True)
                    reply = dbus.lowlevel.MethodReturnMessage(message)
                    reply.append(\(consents == true ? "True" : "False"), dbus.UInt32(8))
                    connection.send_message(reply)
                    return dbus.lowlevel.HANDLER_RESULT_HANDLED
                return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
            def switch_off():
                global level
                level = 0
                change = dbus.lowlevel.SignalMessage(
                    "/org/freedesktop/GeoClue2/Agent", "org.freedesktop.DBus.Properties", "PropertiesChanged")
                change.append("org.freedesktop.GeoClue2.Agent", {"MaxAccuracyLevel": dbus.UInt32(level)},
                    dbus.Array([], signature="s"), signature="sa{sv}as")
                bus.send_message(change)
                return True
            bus.add_message_filter(receive)
            results = []
            for _ in range(\(count)):
                bus.call_async("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager",
                    "org.freedesktop.GeoClue2.Manager", "AddAgent", "s", ("gnome-shell",),
                    lambda *_: results.append("ok"), lambda error: results.append(error.get_dbus_name()))
            def report():
                if len(results) < \(count): return True
                print("added", results.count("ok"), set(results), flush=True)
                return False
            GLib.timeout_add(10, report)
            GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, switch_off)
            GLib.MainLoop().run()
            """
        var command = ["/usr/bin/python3", "-c", script]
        if let uid { command = ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + command }
        return try LoggedProcess(command[0], Array(command.dropFirst()))
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func silentAgentsOfAnotherUserLeaveTheDesktopsSwitchAsItIs() throws {
        let stranger = try #require(getpwnam("games")?.pointee.pw_uid)
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let agent = try agents(bus, answers: true)
        try waitUntil("the agent is known", details: { agent.errors }) { agent.output.contains("added 1") }
        let program = try bus.whereAmI("-a", "8")
        try waitUntil("a location comes", details: { program.output }) { program.output.contains("48.858400") }
        // One program that is many agents, and many programs that are one each.
        let silent = [140] + Array(repeating: 1, count: 10)
        let strangers = try silent.map { try agents(bus, count: $0, answers: false, uid: stranger) }
        for program in strangers {
            try waitUntil("it is answered", details: { program.errors }) { program.output.contains("added") }
        }
        #expect(strangers.count { $0.output.contains("LimitsExceeded") } >= 7, "a user has few agents")
        agent.signal(SIGUSR1)
        try waitUntil("the switch is heeded", details: { bridge.errors }) {
            try !daemon.locctl("clients").output.contains("GeoClue:")
        }
        let refused = try bus.whereAmI("-a", "8")
        try waitUntil("a new program is refused", details: { refused.output + refused.errors }) {
            refused.errors.contains("AccessDenied")
        }
        #expect(!refused.output.contains("Latitude") && bridge.exitCode == nil)
    }

    /// As GNOME Shell's agent is asked.
    @Test(arguments: [true, false])
    func agentIsAskedAboutTheProgram(consents: Bool) throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let agent = try agents(bus, answers: true, consents: consents)
        try waitUntil("the agent is known", details: { agent.errors }) { agent.output.contains("added 1") }
        let program = try bus.whereAmI("-a", "8")
        try waitUntil("it is answered", details: { program.output + program.errors + agent.errors + bridge.errors }) {
            program.output.contains("48.858400") || program.errors.contains("AccessDenied")
        }
        #expect(program.output.contains("Latitude") == consents)
        #expect(agent.output.contains("asked about geoclue-where-am-i 8"), "\(agent.output)")
    }

    /// GNOME Shell would refuse it, and forget what it remembers of others.
    @Test func programWithoutDesktopFileIsRefusedWithoutAskingGNOMEShell() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon, variables: ["XDG_DATA_DIRS": "/nonexistent"])
        let agent = try agents(bus, answers: true, consents: true)
        try waitUntil("the agent is known", details: { agent.errors }) { agent.output.contains("added 1") }
        let program = try bus.whereAmI("-a", "8")
        try waitUntil("it is refused with the reason", details: { program.output + program.errors }) {
            program.errors.contains("no desktop file of this program's DesktopId")
        }
        try waitUntil("the journal names it", details: { bridge.errors }) {
            bridge.errors.contains(#"desktop-file=missing program="GeoClue: geoclue-where-am-i""#)
        }
        #expect(!agent.output.contains("asked about"))
    }

    @Test func hostileProgramDisturbsNobody() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let program = try bus.whereAmI("-a", "8")
        try waitUntil("a location comes", details: { program.output }) { program.output.contains("48.858400") }
        let script = """
            import dbus, os, time
            bus = dbus.bus.BusConnection("\(bus.address)")
            manager = bus.get_object("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager", introspect=False)
            errors = {}
            def attempt(call, *arguments, **options):
                while True:
                    try:
                        return call(*arguments, **options)
                    except dbus.DBusException as error:
                        errors[error.get_dbus_name()] = errors.get(error.get_dbus_name(), 0) + 1
                        # Over the rate of its user it is not even looked at.
                        if "times a second" not in str(error) or call == create: return
                        time.sleep(0.01)
            create = manager.get_dbus_method("CreateClient", "org.freedesktop.GeoClue2.Manager")
            for _ in range(10000): attempt(create)
            for path in ["/", "/x", "/org/freedesktop/GeoClue2/Client/1", "/org/freedesktop/GeoClue2/Client/1/Location/0"]:
                thing = bus.get_object("org.freedesktop.GeoClue2", path, introspect=False)
                for method in ["Start", "Stop", "Fly"]:
                    attempt(thing.get_dbus_method(method, "org.freedesktop.GeoClue2.Client"))
                for arguments in [(), ("x",), (1, 2), ("org.freedesktop.GeoClue2.Client", "Location"), ([1] * 10000,)]:
                    for method in ["Get", "GetAll", "Set"]:
                        attempt(thing.get_dbus_method(method, "org.freedesktop.DBus.Properties"), *arguments)
            own = bus.get_object("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Client/2", introspect=False)
            put = own.get_dbus_method("Set", "org.freedesktop.DBus.Properties")
            attempt(own.get_dbus_method("Fly", "org.freedesktop.GeoClue2.Client"))
            for value in [dbus.String("x" * 100000, variant_level=1), dbus.Array([[1]] * 100, variant_level=1),
                          dbus.UInt32(7, variant_level=1), dbus.Struct((1, "x"), variant_level=2), 7]:
                for name in ["DesktopId", "TimeThreshold", "Active", "x" * 200]:
                    attempt(put, "org.freedesktop.GeoClue2.Client", name, value)
            attempt(put, "org.freedesktop.GeoClue2.Client", "DesktopId", dbus.String("hostile", variant_level=1))
            attempt(own.get_dbus_method("Start", "org.freedesktop.GeoClue2.Client"))
            print(errors, flush=True)
            os._exit(0)
            """
        let hostile = try LoggedProcess("/usr/bin/python3", ["-c", script])
        #expect(try hostile.wait(within: 60) == 0, "\(hostile.errors)")
        for error in ["LimitsExceeded", "UnknownObject", "InvalidArgs", "UnknownMethod", "PropertyReadOnly"] {
            #expect(hostile.output.contains("org.freedesktop.DBus.Error.\(error)"), "\(hostile.output)")
        }
        let count = program.output.count(of: "Latitude:")
        try waitUntil("locations still come", details: { program.output + bridge.errors }) {
            program.output.count(of: "Latitude:") > count
        }
        try waitUntil("nothing of it stays", details: { (try? daemon.locctl("clients").output) ?? "" }) {
            try daemon.locctl("clients").output.count(of: "GeoClue:") == 1
        }
        #expect(bridge.exitCode == nil)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
