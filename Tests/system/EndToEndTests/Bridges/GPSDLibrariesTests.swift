import ClientTestSupport
import Foundation
import ProgramTestSupport
import Testing

/// Python's libraries for gpsd, as PyPI has them, over bridge and daemon.
///
/// The interpreter is the one that `LOCATIOND_TEST_PYTHON` names, else `.build/python/bin/python3`; `make test` puts it
/// there, with the libraries. Without them these tests fail.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GPSDLibrariesTests {
    /// It has no view of the sky, and nobody has watched before.
    private static let tower =
        "[[sources]]\nkind = \"static\"\nname = \"tower\"\nlatitude = 48.8584\nlongitude = 2.2945\n"

    private static var interpreter: String {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_PYTHON"] ?? ".build/python/bin/python3"
        return URL(filePath: named, relativeTo: Repository.root).path
    }

    /// What a program prints that knows the bridge's `port`.
    private func output(_ script: String) throws -> String {
        let daemon = try DaemonProcess(Self.tower)
        let bridge = try BridgeProcess(daemon)
        let program = try LoggedProcess(Self.interpreter, ["-c", "port = \(bridge.port)\n" + script])
        #expect(try program.wait() == 0, "\(program.errors)\(program.output)")
        return program.output
    }

    /// Home Assistant's integration uses it; it sends no end of its request.
    @Test func gps3Reads() throws {
        let printed = try output(
            """
            import time
            from gps3 import gps3
            connection, data = gps3.GPSDSocket(), gps3.DataStream()
            connection.connect(port=port)
            connection.watch()
            for line in connection:
                if line: data.unpack(line)
                if data.TPV["lat"] != "n/a": break
                time.sleep(0.05)
            print(data.TPV["lat"], data.TPV["mode"])
            """)
        #expect(printed == "48.8584 2\n")
    }

    @Test func gpsdPy3Polls() throws {
        let printed = try output(
            """
            import time
            import gpsd
            gpsd.connect(port=port)
            print(gpsd.device())
            while True:
                try:
                    fix = gpsd.get_current()
                    if fix.mode >= 2: break
                except UserWarning: pass
                time.sleep(0.05)
            print(fix.position(), fix.sats)
            """)
        #expect(printed == "{'path': 'tower', 'speed': 0, 'driver': 'tower'}\n(48.8584, 2.2945) 0\n")
    }

    @Test func pygpsdPolls() throws {
        let printed = try output(
            """
            import time
            import pygpsd
            connection = pygpsd.GPSD(port=port)
            print([device["path"] for device in connection.devices])
            while True:
                try:
                    data = connection.poll()
                    if data.mode.value >= 2: break
                except pygpsd.GPSInactiveWarning: pass
                time.sleep(0.05)
            print(data.geo.position.latitude)
            """)
        #expect(printed == "['tower']\n48.8584\n")
    }

    @Test func gpsdClientAsyncReads() throws {
        let printed = try output(
            """
            import asyncio
            from gpsd_client_async import GpsdClient
            async def run():
                async with GpsdClient(port=port) as client:
                    print(client.devices.devices[0].path)
                    async for message in client:
                        if getattr(message, "lat", None): break
                    print(message.lat)
                    print((await client.poll()).active)
            asyncio.run(run())
            """)
        #expect(printed == "tower\n48.8584\n1\n")
    }

    @Test func gpsdclientReads() throws {
        let printed = try output(
            """
            from gpsdclient import GPSDClient
            with GPSDClient(port=port) as client:
                for report in client.dict_stream():
                    if report["class"] == "DEVICES": print(report["devices"][0]["path"])
                    if report["class"] == "TPV" and report["mode"] >= 2: break
            print(report["lat"])
            """)
        #expect(printed == "tower\n48.8584\n")
    }

    /// It compares the times of fixes with its own clock.
    @Test func gpsprofReadsAnEnteredPosition() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bridge = try BridgeProcess(daemon)
        let program = try LoggedProcess(
            "gpsprof", ["-n", "3", "-f", "uninstrumented", "127.0.0.1:\(bridge.port)"])
        #expect(try program.wait() == 0, "\(program.errors)")
        #expect(program.output.contains("Uninstrumented total latency"), "\(program.output)")
    }

    /// It wants one device, and its path, before the first fix.
    @Test(arguments: ["", ":tower"])
    func gpsprofPlots(device: String) throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"simulator\"\nname = \"tower\"\n")
        let bridge = try BridgeProcess(daemon)
        let program = try LoggedProcess("gpsprof", ["-n", "5", "-f", "space", "127.0.0.1:\(bridge.port)\(device)"])
        #expect(try program.wait() == 0, "\(program.errors)")
        #expect(program.output.contains("5 GPS fixes"), "\(program.output)")
    }
}
