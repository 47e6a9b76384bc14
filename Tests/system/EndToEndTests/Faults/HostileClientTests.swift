import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// One client's trouble is its own.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct HostileClientTests {
    @Test func goodWatchGetsEveryFix() throws {
        let receiver = try Receiver(rate: 10)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let good = try daemon.watch()
        try good.awaitLocation()

        let call = #"{"method":"org.locationd.location.Watch","parameters":{"satellites":true},"more":true}"#
        let deaf = try (0..<200).map { _ in
            let socket = try UnixSocket(path: daemon.socket)
            try socket.write(Array(call.utf8) + [0])
            return socket
        }
        let requests: [[UInt8]] = [
            [UInt8](repeating: 0, count: 4096),
            (0..<50_000).map { _ in UInt8.random(in: 1...255) } + [0],
            [UInt8](repeating: 0x5B, count: 60_000) + [0],
            Array(call.utf8.dropLast(5)),
            Array(#"{"method":""#.utf8) + [UInt8](repeating: 0x61, count: 70_000),
            Array((call + "\0" + call + "\0").utf8),
            Array(#"{"method":"org.locationd.location.Watch","parameters":7,"more":true}"#.utf8) + [0],
        ]
        let hostile = try (0..<10).flatMap { _ in
            try requests.map { request in
                let socket = try UnixSocket(path: daemon.socket)
                // The daemon may have hung up before everything is sent.
                try? socket.write(request)
                return socket
            }
        }
        // Connections come and go all the while.
        let start = good.locations.count
        try good.wait("eighty fixes come", within: 60) { _ in
            _ = try? UnixSocket(path: daemon.socket)
            return good.locations.count >= start + 80
        }
        #expect(good.locations.isComplete && good.dropped == 0 && good.end == nil)
        #expect(try daemon.statistics().clients >= 200)
        #expect(try daemon.locctl("get", "--timeout", "5").code == 0, "new clients still come in")
        #expect(daemon.process.exitCode == nil)
        #expect(deaf.count + hostile.count == 270)
    }

    /// Root may connect as often as it likes; what it has closed uses up nothing.
    @Test func connectionsThatAreOverDoNotCount() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        for _ in 0..<30_000 { _ = try UnixSocket(path: daemon.socket) }
        try waitUntil("those who have left are gone") { try daemon.statistics().clients < 10 }
        #expect(!daemon.log.contains("reached a limit"), "\(daemon.log)")
    }

    @Test func limitHoldsForOneUserAndSparesTheAdministrator() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nclients = 3\n")
        // Root and the daemon's own user are not limited: the administrator cannot be locked out.
        let crowd = try (0..<20).map { _ in try daemon.watch() }
        for watch in crowd { try watch.awaitLocation() }
        #expect(try daemon.statistics().refusedConnections == 0)
        #expect(try daemon.locctl("clients").code == 0)
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func strangerOverTheLimitIsToldSo() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nclients = 3\n")
        let programs = try Products.copied(to: daemon.folder)
        let crowd = try (0..<3).map { _ in try daemon.watch() }
        for watch in crowd { try watch.awaitLocation() }
        let child = try LoggedProcess(
            "setpriv", OtherUser.stranger.command + [programs.command, "status", "--socket", daemon.socket])
        #expect(try child.wait() == 3)
        #expect(child.errors.contains("too many connections are open (the limit is 3)"), "\(child.errors)")
        #expect(try daemon.statistics().refusedConnections == 1)
    }
}
