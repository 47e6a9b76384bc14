import ClientTestSupport
import Glibc
import ProgramTestSupport

/// What a program for GeoClue needs of a machine that drives: an invented receiver, gpsd, daemon, bus and bridge, and a
/// watch that knows what the daemon says.
final class DrivenGeoClue {
    let receiver: Receiver
    let gpsd: GPSD
    let daemon: DaemonProcess
    let bus: PrivateBus
    let bridge: LoggedProcess
    let watch: Watcher

    init() throws {
        receiver = try Receiver()
        gpsd = try GPSD([receiver.path])
        daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        bus = try PrivateBus()
        bridge = try bus.serveGeoClue(from: daemon)
        watch = try daemon.watch()
    }

    /// Kills a program, and waits until the daemon has no watch for it any more.
    func kill(_ program: LoggedProcess) throws {
        program.signal(SIGKILL)
        _ = try program.wait()
        try waitUntil("its watch ends with it", details: { bridge.errors }) {
            try !daemon.locctl("clients").output.contains("GeoClue:")
        }
    }
}
