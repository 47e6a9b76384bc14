import LocationInterface
import LocationKit
import Testing

/// Many watches of a fast receiver.
@Suite(.onOwnThread, .timeLimit(.minutes(2)))
struct HundredWatchesTests {
    /// A watch costs the daemon about 12 KiB (channel, connection, place in the hub) and its share of buffers that
    /// live for one fix; with the allocator's slack a hundred of them stay far below 8 MiB, and five seconds of
    /// fixes, some 17 MB of messages, would show at once if each left something behind.
    private static let growth = 8 << 20

    @Test func loseNothingAtTenHertz() throws {
        let receiver = try Receiver(rate: 10)
        let gpsd = try GPSD([receiver.path])
        let daemon = try Daemon(Settings.gpsd(gpsd.port))
        let first = try daemon.watch()
        try first.awaitLocation(after: 10)
        let before = daemon.residentBytes
        let watches = try (0..<100).map { _ in try daemon.watch() }
        for watch in watches { try watch.awaitLocation() }
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
