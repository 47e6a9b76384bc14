import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

/// Programs that are written for gpsd, as Debian has them, over bridge, daemon and a real gpsd.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GPSDProgramsTests {
    /// The objects of a class among what a program has printed.
    private func objects(_ kind: String, in process: LoggedProcess) throws -> [[String: Any]] {
        let output = process.output
        // The last line may not have been written to its end.
        let lines = output.split(whereSeparator: \.isNewline).dropLast(output.last?.isNewline == true ? 0 : 1)
        return try lines.compactMap { line in
            let object = try json(line)
            return object["class"] as? String == kind ? object : nil
        }
    }

    private func awaitFix(_ process: LoggedProcess, after count: Int = 0) throws -> [String: Any] {
        try waitUntil("a fix comes", details: { process.output + process.errors }) {
            let fixes = try objects("TPV", in: process).filter { ($0["mode"] as? Int ?? 0) >= 2 }
            return fixes.count > count ? fixes.last : nil
        }
    }

    @Test func gpspipeSeesWhatTheDaemonSees() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        #expect(gpsd.clients == 0, "nobody wants a fix")
        let watch = try daemon.watch()
        let pipe = try bridge.gpspipe("-w")
        let fix = try awaitFix(pipe, after: 3)
        let time = try #require(fix["time"] as? String)
        let location = try #require(
            try watch.wait("the same fix") { $0.location?.value.timestamp?.description == time }.location?.value)
        #expect(fix["device"] as? String == receiver.path)
        #expect(abs((fix["lat"] as? Double ?? 0) - location.coordinate.latitude) < 1e-9)
        #expect(abs((fix["lon"] as? Double ?? 0) - location.coordinate.longitude) < 1e-9)
        #expect(abs((fix["eph"] as? Double ?? 0) - (location.horizontalAccuracy ?? -1)) < 0.001)
        #expect(abs((fix["speed"] as? Double ?? 0) - (location.speed ?? -1)) < 0.001)
        #expect(abs((fix["track"] as? Double ?? 0) - (location.course ?? -1)) < 0.001)
        #expect(fix["status"] == nil, "it is a plain fix")
        let clients = try daemon.locctl("clients").output
        #expect(clients.contains("gpsd client"), "\(clients)")
    }

    /// As scripts call it: the version, the devices, the policy, the device that begins to report, and the fix.
    @Test func firstFiveLinesHaveAFix() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let bridge = try BridgeProcess(daemon)
        let pipe = try bridge.gpspipe("-w", "-n", "5")
        #expect(try pipe.wait() == 0, "\(pipe.errors)")
        #expect(pipe.output.contains(#""lat":48.8584"#), "\(pipe.output)")
    }

    /// It leaves out positions without a time, of which a machine without a receiver has no other.
    @Test func gpxloggerWritesPointsOfAnEnteredPosition() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let bridge = try BridgeProcess(daemon)
        let logger = try LoggedProcess("stdbuf", ["-oL", "gpxlogger", "127.0.0.1:\(bridge.port)"])
        try waitUntil("it writes points", details: { logger.output + logger.errors }) {
            logger.output.ranges(of: #"<trkpt lat="48.8584"#).count >= 2
                && logger.output.contains("<time>\(MachineClock.utc.description.prefix(11))")
        }
    }

    /// Perl's module ends at a report without a time.
    @Test func perlsModuleReads() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let bridge = try BridgeProcess(daemon)
        let script = #"""
            use Net::GPSD3;
            my $gpsd = Net::GPSD3->new(host => "127.0.0.1", port => $ARGV[0]);
            $gpsd->addHandler(sub {
                my $report = shift;
                return unless $report->class eq "TPV" and $report->mode >= 2;
                printf "%s %.0f\n", $report->timestamp, $report->lon;
                exit;
            });
            $gpsd->watch;
            """#
        let program = try LoggedProcess("perl", ["-e", script, "\(bridge.port)"])
        #expect(try program.wait() == 0, "\(program.errors)")
        #expect(program.output.hasSuffix("Z -79\n"), "\(program.output)")
    }

    @Test func rawGivesSentences() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let pipe = try bridge.gpspipe("-r")
        try waitUntil("sentences come", details: { pipe.output }) {
            pipe.output.contains("GGA,") && pipe.output.contains("RMC,")
        }
    }

    @Test func cgpsShowsThePosition() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        // The usual size, in which lines of gpsd's protocol may have 1920 bytes at most.
        let terminal = try Tmux(columns: 80, rows: 24)
        try terminal.type("cgps 127.0.0.1:\(bridge.port)")
        try terminal.awaitText("3D FIX", "Latitude", "52.5", "Longitude", "13.37")
        #expect(try !terminal.screen().contains { $0.lowercased().contains("warning") })
        try terminal.press("q")
    }

    @Test func pythonsLibraryReads() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let script = """
            import gps
            session = gps.gps(host="127.0.0.1", port=\(bridge.port), mode=gps.WATCH_ENABLE)
            for report in session:
                if report["class"] == "TPV" and session.fix.mode >= 2:
                    print(round(session.fix.latitude), session.fix.mode)
                    break
            """
        let program = try LoggedProcess("/usr/bin/python3", ["-c", script])
        #expect(try program.wait() == 0, "\(program.errors)")
        #expect(program.output.hasPrefix("53 ") || program.output.hasPrefix("52 "), "\(program.output)")
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func administratorDecidesForTheProgramsUser() throws {
        let uid: UInt32 = 58_431
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon)
        let pipe = try bridge.gpspipe("-w", uid: uid)
        let error = try waitUntil("it is told what to do", details: { pipe.output + pipe.errors }) {
            try objects("ERROR", in: pipe).first?["message"] as? String
        }
        #expect(error.contains("sudo locctl authorize uid:\(uid)"), "\(error)")
        try waitUntil("it is pending") {
            try daemon.locctl("authorizations").output.contains("uid:\(uid)")
        }
        #expect(try objects("TPV", in: pipe).allSatisfy { $0["mode"] as? Int == 0 && $0["lat"] == nil })
        let diagnosis = try daemon.locctl("diagnose")
        #expect(diagnosis.code == 0 && diagnosis.output.contains("gpsd client of uid:\(uid)"), "\(diagnosis)")
        #expect(diagnosis.output.contains("-> nobody has decided yet: `sudo locctl authorize uid:\(uid)`"))
        #expect(try daemon.locctl("authorize", "uid:\(uid)").code == 0)
        let fix = try awaitFix(pipe)
        #expect(fix["lat"] as? Double == 48.8584)
        #expect(try daemon.locctl("deny", "uid:\(uid)").code == 0)
        try waitUntil("it is told of the denial", details: { pipe.output }) {
            let messages = try objects("ERROR", in: pipe).compactMap { $0["message"] as? String }
            return messages.contains { $0.contains("denied") }
        }
        #expect(try objects("ERROR", in: pipe).count == 2, "each once: \(pipe.output)")
        #expect(try daemon.locctl("audit").output.contains("uid:\(uid)"))
    }

    /// The kernel names who has made a TCP socket, and root makes sockets for others.
    @Test func rootIsUndecidedOverTCPAndKnownAtTheUnixSocket() throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon, authorizesTests: false)
        let script = """
            import socket
            connection = socket.socket(socket.AF_UNIX)
            connection.connect("\(bridge.socket)")
            connection.sendall(b'?WATCH={"enable":true,"json":true};\\n')
            text = b""
            while b'"lat":48.8584' not in text: text += connection.recv(4096)
            """
        #expect(try LoggedProcess("/usr/bin/python3", ["-c", script]).wait() == 0)
        let pipe = try bridge.gpspipe("-w")
        let error = try waitUntil("it is told what to do", details: { pipe.output + pipe.errors }) {
            try objects("ERROR", in: pipe).first?["message"] as? String
        }
        #expect(error.contains("locationd-bridge-unix.socket"), "\(error)")
        #expect(error.contains("sudo locctl authorize uid:\(getuid())`"), "\(error)")
        #expect(try objects("TPV", in: pipe).allSatisfy { $0["lat"] == nil })
        #expect(try daemon.locctl("authorize", "uid:\(getuid())").code == 0)
        #expect(try awaitFix(pipe)["lat"] as? Double == 48.8584)
    }

    @Test func daemonsRestartIsNoReconnection() throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon)
        let pipe = try bridge.gpspipe("-w")
        _ = try awaitFix(pipe)
        try daemon.kill()
        try waitUntil("mode 0 comes", details: { pipe.output }) {
            try objects("TPV", in: pipe).last?["mode"] as? Int == 0
        }
        #expect(try objects("ERROR", in: pipe).isEmpty == false, "with the reason")
        let count = try objects("TPV", in: pipe).count { ($0["mode"] as? Int ?? 0) >= 2 }
        try daemon.start()
        _ = try awaitFix(pipe, after: count)
        #expect(pipe.exitCode == nil)
    }

    @Test func oneWhoDoesNotReadDelaysNobody() throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon)
        let script = """
            import socket, sys, time
            connections = []
            for _ in range(50):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                connection.connect(("127.0.0.1", \(bridge.port)))
                connection.sendall(b'?WATCH={"enable":true,"json":true,"nmea":true}\\n' + b'?POLL;' * 200 + b'\\n')
                connections.append(connection)
            print("stalled", flush=True)
            time.sleep(60)
            """
        let stalled = try LoggedProcess("/usr/bin/python3", ["-c", script])
        try waitUntil("they are stalled", details: { stalled.errors }) { stalled.output.contains("stalled") }
        let pipe = try bridge.gpspipe("-w")
        _ = try awaitFix(pipe, after: 3)
        #expect(bridge.process.exitCode == nil)
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func connectionsOfOneUserAreLimitedAndOthersServed() throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon, "[gpsd]\nclients-per-user = 100\n")
        let script = """
            import signal, socket
            connections = [socket.create_connection(("127.0.0.1", \(bridge.port)), 30) for _ in range(110)]
            answers = []
            for connection in connections[100:]:
                answer = b""
                while part := connection.recv(4096):
                    answer += part
                answers.append(answer.decode())
            print(answers, flush=True)
            signal.pause()
            """
        let crowd = try LoggedProcess(
            "setpriv",
            ["--reuid=58432", "--regid=58432", "--clear-groups", "/usr/bin/python3", "-c", script])
        try waitUntil("ten are refused", details: { crowd.output + crowd.errors }) { crowd.output.hasSuffix("]\n") }
        // Not all are told why, so that who connects in a loop costs little.
        let told = crowd.output.ranges(of: "too many connections; try again when some have closed").count
        #expect((8...10).contains(told), "\(crowd.output)")
        #expect(try awaitFix(bridge.gpspipe("-w"))["lat"] as? Double == 48.8584)
    }

    @Test func garbageIsAnsweredAndDisturbsNobody() throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon)
        let pipe = try bridge.gpspipe("-w")
        let script = """
            import os, socket
            for _ in range(100):
                connection = socket.create_connection(("127.0.0.1", \(bridge.port)))
                connection.sendall(os.urandom(3000) + b"\\n" + b'?WATCH={"enable":"x"};?DEVICE={"path":[]};[' + b"[" * 3000)
                connection.close()
            connection = socket.create_connection(("127.0.0.1", \(bridge.port)))
            connection.sendall(b"?NONSENSE;\\n")
            text = b""
            while b"NONSENSE" not in text: text += connection.recv(4096)
            print(text.decode())
            """
        let hostile = try LoggedProcess("/usr/bin/python3", ["-c", script])
        #expect(try hostile.wait() == 0, "\(hostile.errors)")
        #expect(hostile.output.contains("Unrecognized request"))
        _ = try awaitFix(pipe, after: 2)
        #expect(bridge.process.exitCode == nil)
    }

    @Test func unixSocketServesToo() throws {
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon)
        let script = """
            import socket
            connection = socket.socket(socket.AF_UNIX)
            connection.connect("\(bridge.socket)")
            connection.sendall(b'?WATCH={"enable":true,"json":true};\\n')
            text = b""
            while b'"lat":48.8584' not in text: text += connection.recv(4096)
            print("fix")
            """
        let program = try LoggedProcess("/usr/bin/python3", ["-c", script])
        #expect(try program.wait() == 0, "\(program.errors)")
    }

    @Test func reducedProgramGetsTheGrid() throws {
        guard getuid() == 0 else { return }
        let uid: UInt32 = 58_432
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let bridge = try BridgeProcess(daemon)
        #expect(try daemon.locctl("authorize", "uid:\(uid)", "--reduced").code == 0)
        let pipe = try bridge.gpspipe("-w", uid: uid)
        let fix = try awaitFix(pipe)
        #expect(fix["lat"] as? Double != 48.8584 && fix["eph"] as? Double ?? 0 >= 1000)
        #expect(fix["alt"] == nil && fix["speed"] == nil)
        #expect(try objects("SKY", in: pipe).isEmpty)
    }
}
