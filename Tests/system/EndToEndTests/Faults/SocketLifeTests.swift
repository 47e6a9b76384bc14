import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// The daemon's sockets: nobody's while it is dead, and its own alone while it lives.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct SocketLifeTests {
    @Test func deadSocketsAreReplaced() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.kill()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
        #expect(try daemon.locctl("get").code == 3, "nobody is there")
        try daemon.start()
        #expect(try daemon.locctl("get").code == 0)
    }

    @Test func secondDaemonLeavesTheFirstAlone() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let second = try LoggedProcess(Products.daemon, DaemonProcess.flags(in: daemon.folder))
        #expect(try second.wait() == 1)
        #expect(second.errors.contains("another process (pid \(daemon.process.pid)) already serves"))
        #expect(second.errors.split(separator: "\n").count == 1)
        try watch.awaitLocation(after: watch.replies.count)
        #expect(try daemon.locctl("get").code == 0, "new clients still come in")
    }

    @Test func watchesAreToldTheEnd() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watches = try (0..<3).map { _ in try daemon.watch() }
        for watch in watches { try watch.awaitLocation() }
        #expect(try daemon.stop() == 0)
        for watch in watches {
            try waitUntil("the connection ends") { watch.end != nil }
            let last = try #require(watch.replies.last)
            #expect(watch.isFinal && last.status?.reason == "stopping" && last.status?.source == .stopped)
            #expect(last.location == nil)
        }
        for path in [daemon.socket, daemon.control] { #expect(!FileManager.default.fileExists(atPath: path)) }
        #expect(daemon.log.contains("ended"))
    }

    @Test func requestsAreAnsweredAtTheEnd() throws {
        // Nothing listens, so that the request has to wait.
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        let child = try daemon.start("get", ["--timeout", "60"])
        try waitUntil("the request waits") { try daemon.statistics().requests == 1 }
        #expect(try daemon.stop() == 0)
        #expect(try child.wait() == 5)
        #expect(child.errors.contains("stopping"), "\(child.errors)")
    }

    @Test func interruptEndsItToo() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        daemon.process.signal(SIGINT)
        #expect(try daemon.process.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test func socketsHaveTheirPermissions() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        for (path, mode) in [(daemon.socket, 0o666), (daemon.control, 0o660)] {
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & S_IFMT == S_IFSOCK)
            #expect(Int(status.st_mode & 0o777) == mode)
        }
    }
}
