import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Many watches of a fast receiver.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct HundredWatchesTests {
    /// A watch costs the daemon some 5 KiB: channel, connection, place in the hub. A hundred of them and the
    /// allocator's slack measure half a MiB; four times that is allowed. Five seconds of their messages, 5,000 of some
    /// 450 bytes, would break the bound if each left its bytes behind.
    private static let growth = 2 << 20

    @Test func loseNothingAtTenHertz() throws {
        let receiver = try Receiver(rate: 10)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let first = try daemon.watch()
        try first.awaitLocation(after: 10)
        let before = daemon.residentBytes
        let watches = try (0..<100).map { _ in try daemon.watch() }
        for watch in watches { try watch.awaitLocation() }
        // One that opened last may have the newest fix before its thread has.
        try first.awaitLocation(after: first.replies.count)
        let start = try #require(first.locations.last?.sequence)
        let end = start + 50
        for watch in watches + [first] {
            try watch.wait("fifty fixes come", within: 60) { $0.location?.value.sequence ?? 0 >= end }
            #expect(watch.locations.isComplete && watch.dropped == 0 && watch.end == nil)
            #expect(try #require(watch.locations.first).sequence <= start)
        }
        let after = daemon.residentBytes
        #expect(before > 0 && after - before < Self.growth, "\(before) to \(after)")
        #expect(try daemon.statistics().dropped == 0)
    }
}
