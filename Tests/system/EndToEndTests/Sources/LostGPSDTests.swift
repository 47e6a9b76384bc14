import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// gpsd goes, comes back, starts over or was never there: watches stay, and are told why in words.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct LostGPSDTests {
    @Test func watchesOutliveGPSD() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watches = try (0..<10).map { _ in try daemon.watch() }
        for watch in watches { try watch.awaitLocation() }
        try gpsd.kill()
        for watch in watches {
            let status = try watch.awaitStatus(.unavailable)
            #expect(status.reason?.contains("gpsd is not running there") == true, "\(status.reason ?? "nothing")")
            #expect(status.reason?.contains("127.0.0.1:\(gpsd.port)") == true)
        }
        let seen = watches.map(\.replies.count)
        try gpsd.start()
        for (watch, seen) in zip(watches, seen) {
            try watch.awaitLocation(after: seen)
            #expect(watch.end == nil, "the same connection")
            #expect(watch.locations.risesStrictly && watch.locations.isComplete && watch.dropped == 0)
            #expect(watch.statuses.last?.source == .tracking)
        }
    }

    @Test func watchesOutliveAHangUpOfGPSD() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        try watch.awaitLocation()
        gpsd.hangUp()
        try watch.awaitStatus(.lost)
        try watch.awaitStatus(.tracking, after: watch.replies.count)
        try watch.awaitLocation(after: watch.replies.count)
        #expect(watch.end == nil)
        #expect(watch.locations.risesStrictly)
    }

    @Test func silentReceiverIsToldAndHeardAgain() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        try watch.awaitLocation()
        receiver.fallSilent()
        try watch.awaitStatus(.lost, "\(receiver.path) has stopped sending fixes", within: 4)
        // A connection on which nothing comes is opened anew.
        try watch.awaitStatus(.lost, "sent nothing for 5 s; is \(receiver.path) powered and sending?")
        let seen = watch.replies.count
        receiver.speakAgain()
        try watch.awaitLocation(after: seen)
        #expect(watch.statuses.last?.source == .tracking && watch.end == nil)
        #expect(watch.locations.isComplete)
    }

    @Test func daemonMayBeFirst() throws {
        let receiver = try Receiver()
        let port = try LoopbackPort.free()
        let daemon = try DaemonProcess(Settings.gpsd(port))
        let watch = try daemon.watch()
        let status = try watch.awaitStatus(.unavailable, "nothing listens on 127.0.0.1:\(port)")
        #expect(status.reason?.contains("systemctl start gpsd.socket") == true, "the next step is told")
        let gpsd = try GPSD([receiver.path], port: port)
        try watch.awaitLocation()
        #expect(gpsd.port == port && watch.end == nil)
    }

    @Test func getSaysWhyWhenNothingListens() throws {
        let port = try LoopbackPort.free()
        let daemon = try DaemonProcess(Settings.gpsd(port))
        let answer = try daemon.locctl("get", "--timeout", "4")
        #expect(answer.code == 5)
        #expect(answer.errors.contains("nothing listens on 127.0.0.1:\(port)"), "\(answer.errors)")
    }

    @Test func gpsdWithoutReceiverIsUnavailable() throws {
        let gpsd = try GPSD([])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        let status = try watch.awaitStatus(.unavailable, "has no receiver")
        #expect(status.reason?.contains("/etc/default/gpsd") == true, "the next step is told")
        // One that is plugged in later is heard on the same connection.
        let receiver = try Receiver()
        try gpsd.add(receiver.path)
        try watch.awaitLocation()
        #expect(watch.statuses.last?.reason == nil && watch.end == nil)
    }

    @Test func unknownHostIsTold() throws {
        let daemon = try DaemonProcess(
            Settings.quick + "[[sources]]\nkind = \"gpsd\"\nhost = \"no-such-host.invalid\"\n")
        let watch = try daemon.watch()
        let reply = try watch.wait("the reason is told", within: 60) { $0.status?.reason != nil }
        #expect(reply.status?.reason?.contains("the host name no-such-host.invalid was not found") == true)
        #expect(reply.status?.reason?.contains("check `host` in locationd.toml") == true)
    }
}
