import ClientTestSupport
import Foundation
import ProgramTestSupport
import Testing

/// Programs for gpsd that have a screen: gpsmon in a terminal, xgps in a window.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GPSDScreenTests {
    /// It asks for what the receiver itself sends, and is given sentences of the daemon's fixes.
    @Test func gpsmonShowsThePosition() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let terminal = try Tmux(columns: 100, rows: 40)
        try terminal.type("gpsmon 127.0.0.1:\(bridge.port)")
        try terminal.awaitText("Cooked TPV", "Lat: 52 30.", "Lon:  13 22.", "GGA", "RMC")
        #expect(try daemon.locctl("clients").output.contains("gpsd client"))
        #expect(bridge.process.exitCode == nil)
        try terminal.press("q")
    }

    /// xgps itself, whose labels are printed twice a second.
    private static let xgps = """
        import runpy, sys
        import gi
        gi.require_version("Gtk", "3.0")
        from gi.repository import GLib, Gtk

        def texts(widget):
            if isinstance(widget, (Gtk.Label, Gtk.Entry)):
                yield widget.get_text()
            if isinstance(widget, Gtk.Container):
                for child in widget.get_children():
                    yield from texts(child)

        def show():
            windows = Gtk.Window.list_toplevels()
            print("|".join(text.strip() for window in windows for text in texts(window)), flush=True)
            return True

        GLib.timeout_add(500, show)
        sys.argv = ["xgps", *sys.argv[1:]]
        runpy.run_path("/usr/bin/xgps", run_name="__main__")
        """

    @Test func xgpsShowsThePosition() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let display = try LoggedProcess("Xvfb", ["-displayfd", "1", "-screen", "0", "1000x800x24"])
        let number = try waitUntil("Xvfb has a display", details: { display.errors }) {
            display.output.hasSuffix("\n") ? display.output.dropLast() : nil
        }
        let program = try LoggedProcess(
            "/usr/bin/python3", ["-c", Self.xgps, "127.0.0.1:\(bridge.port)"],
            environment: ["DISPLAY": ":\(number)", "LC_ALL": "C.UTF-8", "NO_AT_BRIDGE": "1"])
        try waitUntil("it shows the position", details: { program.output.suffix(2000) + program.errors }) {
            let labels = program.output.split(separator: "\n").last ?? ""
            return labels.contains("3D FIX") && labels.contains("|52.5") && labels.contains("|13.37")
        }
        #expect(!program.errors.contains("WARNING"), "it warns of another release or protocol: \(program.errors)")
        #expect(program.exitCode == nil && bridge.process.exitCode == nil)
    }
}
