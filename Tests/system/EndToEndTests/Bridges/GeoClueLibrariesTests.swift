import ClientTestSupport
import Glibc
import ProgramTestSupport
import Testing

/// Programs that know GeoClue through a library: Qt's positioning, and GeoClue's own for GLib. Each is a script in
/// Python.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GeoClueLibrariesTests {
    private static let tower = "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n"

    /// - Parameters:
    ///   - methods: the program's preferred methods of positioning; `nil` for Qt's own choice.
    ///   - uid: whose it is; `nil` for the test's own user.
    private func qtProgram(
        _ bus: PrivateBus, home: TemporaryFolder, methods: String? = nil, uid: UInt32? = nil
    ) throws -> LoggedProcess {
        let preference = methods.map { "source.setPreferredPositioningMethods(QGeoPositionInfoSource.\($0))" } ?? ""
        let script = """
            import json, math, sys
            from PyQt5.QtCore import QCoreApplication
            from PyQt5.QtPositioning import QGeoPositionInfo, QGeoPositionInfoSource
            application = QCoreApplication(sys.argv)
            application.setApplicationName("qt-program")
            def show(info):
                def attribute(name):
                    return info.attribute(name) if info.hasAttribute(name) else None
                place = info.coordinate()
                altitude = place.altitude()
                print(json.dumps({
                    "latitude": place.latitude(), "longitude": place.longitude(),
                    "altitude": None if math.isnan(altitude) else altitude,
                    "accuracy": attribute(QGeoPositionInfo.HorizontalAccuracy),
                    "speed": attribute(QGeoPositionInfo.GroundSpeed),
                    "heading": attribute(QGeoPositionInfo.Direction),
                    "milliseconds": info.timestamp().toMSecsSinceEpoch()}), flush=True)
            source = QGeoPositionInfoSource.createSource("geoclue2", application)
            source.positionUpdated.connect(show)
            source.error.connect(lambda error: print("error", error, flush=True))
            source.setUpdateInterval(0)
            \(preference)
            print("satellites", bool(source.supportedPositioningMethods() & source.SatellitePositioningMethods), flush=True)
            source.startUpdates()
            application.exec()
            """
        var command = ["/usr/bin/python3", "-c", script]
        if let uid { command = ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + command }
        return try LoggedProcess(
            command[0], Array(command.dropFirst()),
            environment: bus.environment.merging(["HOME": home.path, "XDG_DATA_HOME": home.path]) { $1 })
    }

    @Test func qtsPositioningSeesWhatTheDaemonSees() throws {
        let machine = try DrivenGeoClue()
        let home = try TemporaryFolder()
        let program = try qtProgram(machine.bus, home: home, methods: "AllPositioningMethods")
        try ReportedLocation.expectSame(in: program, as: machine.watch, details: { machine.bridge.errors })
        #expect(program.output.contains("satellites True"), "what is available is exact")
        #expect(!program.output.contains("error"), "\(program.output) \(program.errors)")
        #expect(try machine.daemon.locctl("clients").output.contains("GeoClue: qt-program"))
        try machine.kill(program)
        #expect(machine.bridge.exitCode == nil)
    }

    /// Qt asks for no accuracy where its program has no preference, and GeoClue understands the least one.
    @Test func qtProgramWithoutPreferenceGetsTheGrid() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let home = try TemporaryFolder()
        let program = try qtProgram(bus, home: home)
        let location = try waitUntil("a location comes", details: { program.output + program.errors + bridge.errors }) {
            try ReportedLocation.all(in: program).first
        }
        #expect(abs(location.latitude - 48.8584) < 0.1 && location.latitude != 48.8584)
        #expect(location.accuracy >= 1000 && location.speed == nil && location.altitude == nil)
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func deniedQtProgramHasNoAccess() throws {
        // The bus looks up the groups of a user, who has to exist.
        let uid = try #require(getpwnam("games")?.pointee.pw_uid)
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        #expect(try daemon.locctl("deny", "uid:\(uid)").code == 0)
        let home = try TemporaryFolder()
        let program = try qtProgram(bus, home: home, methods: "AllPositioningMethods", uid: uid)
        try waitUntil("it is refused", details: { program.output + program.errors + bridge.errors }) {
            program.output.contains("error 0")
        }
        #expect(program.output.contains("satellites False"), "nothing is available to it")
        #expect(program.errors.contains("sudo locctl authorize uid:\(uid)"), "\(program.errors)")
        #expect(!program.output.contains("latitude"))
    }

    @Test func geoCluesOwnLibraryFollows() throws {
        let machine = try DrivenGeoClue()
        let script = """
            import json, sys
            import gi
            gi.require_version("Geoclue", "2.0")
            from gi.repository import Geoclue, GLib
            def show(simple, _=None):
                values = simple.get_location().props
                seconds, microseconds = values.timestamp.unpack()
                print(json.dumps({
                    "latitude": values.latitude, "longitude": values.longitude, "accuracy": values.accuracy,
                    "altitude": values.altitude if values.altitude > -sys.float_info.max else None,
                    "speed": values.speed if values.speed >= 0 else None,
                    "heading": values.heading if values.heading >= 0 else None,
                    "milliseconds": seconds * 1000 + microseconds // 1000}), flush=True)
            simple = Geoclue.Simple.new_sync("glib-program", Geoclue.AccuracyLevel.EXACT, None)
            print("active", simple.get_client().props.active, flush=True)
            show(simple)
            simple.connect("notify::location", show)
            GLib.MainLoop().run()
            """
        let program = try LoggedProcess("/usr/bin/python3", ["-c", script], environment: machine.bus.environment)
        try ReportedLocation.expectSame(in: program, as: machine.watch, details: { machine.bridge.errors })
        #expect(program.output.contains("active True"), "\(program.output)")
        #expect(try machine.daemon.locctl("clients").output.contains("GeoClue: glib-program"))
        try machine.kill(program)
        #expect(machine.bridge.exitCode == nil)
    }
}
