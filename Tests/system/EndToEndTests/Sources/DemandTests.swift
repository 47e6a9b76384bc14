import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Receivers run while somebody needs them.
@Suite(.timeLimit(.minutes(10)))
struct DemandTests {
    /// The receiver is opened by gpsd at the first watch, and closed again some 60 s after nobody asks gpsd any more:
    /// that is what powers a receiver down.
    @Test(.onOwnThreadMostlyWaiting) func receiverIsOpenOnlyWhileSomebodyWatches() throws {
        let receiver = try Receiver(rate: 1)
        let gpsd = try GPSD([receiver.path], opensAtOnce: false)
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        #expect(try daemon.status().source == .stopped)
        #expect(!gpsd.hasOpen(receiver.path))
        let watch = try daemon.watch()
        try waitUntil("gpsd opens the receiver") { gpsd.hasOpen(receiver.path) }
        try watch.awaitLocation()
        try watch.close()
        try waitUntil("gpsd closes the receiver", within: 75) { !gpsd.hasOpen(receiver.path) }
        #expect(try daemon.status().source == .stopped)
    }

    @Test(.onOwnThread) func connectionEndsWithTheLastWatch() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        #expect(gpsd.clients == 0)
        let watches = [try daemon.watch(), try daemon.watch()]
        try watches[0].awaitLocation()
        #expect(gpsd.clients == 1)
        try watches[0].close()
        // Two fixes more come after the first watch has gone: the second keeps the connection.
        let seen = watches[1].replies.count
        try watches[1].awaitLocation(after: seen + 1)
        #expect(gpsd.clients == 1)
        try watches[1].close()
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        #expect(try daemon.status().source == .stopped)
    }

    @Test(.onOwnThread) func connectionLingersForTheNextWatch() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(
            "[delivery]\nlinger = 60\n[[sources]]\nkind = \"gpsd\"\nport = \(gpsd.port)\n")
        let first = try daemon.watch()
        try first.awaitLocation()
        try first.close()
        let second = try daemon.watch()
        let opening = try second.wait("the watch opens") { _ in true }
        #expect(opening.status?.source == .tracking)
        #expect(opening.location != nil, "a fresh location comes with the first reply")
        #expect(try daemon.statistics().demand)
    }

    @Test(.onOwnThread) func passiveWatchStartsNothing() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path], opensAtOnce: false)
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let passive = try daemon.watch { $0.passive = true }
        #expect(try passive.wait("the watch opens") { _ in true }.status?.source == .stopped)
        #expect(try daemon.statistics().demand == false)
        #expect(!gpsd.hasOpen(receiver.path))
        // What another causes is seen.
        let active = try daemon.watch()
        try active.awaitLocation()
        try passive.awaitLocation()
        #expect(passive.locations.first?.source.device == receiver.path)
    }

    /// The connection to gpsd is closed between two locations, and open in time for the next.
    @Test(.onOwnThreadMostlyWaiting) func receiverRestsBetweenTwoLocations() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch { $0.interval = 40 }
        let first = try watch.awaitLocation()
        try watch.awaitStatus(.stopped, "the receivers rest until the next location is due")
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        #expect(try daemon.status().source == .stopped)
        let seen = watch.replies.count
        let next = try watch.awaitLocation(after: seen, within: 60)
        let gap = next.monotonicTime.seconds(since: first.monotonicTime)
        #expect((25...42).contains(gap), "\(gap) s")
        #expect(!watch.replies.contains { $0.status?.source == .lost }, "a rest is no loss")
        #expect(try daemon.locctl("clients").output.contains("Watch"))
    }

    /// Whatever the receiver does for others.
    @Test(.onOwnThreadMostlyWaiting) func commandPrintsOneLocationInEachInterval() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 5))
        let other = try daemon.watch()
        try other.awaitLocation()
        let answer = try daemon.locctl("watch", "--every", "4", "--count", "4", "--json", within: 60)
        #expect(answer.code == 0)
        let moments = try answer.output.split(separator: "\n").compactMap { line in
            (try json(line)["location"] as? [String: Any])?["monotonicTime"] as? Double
        }
        let gaps = zip(moments, moments.dropFirst()).map { $1 - $0 }
        #expect(gaps.count == 3 && gaps.allSatisfy { $0 > 2.4 }, "\(gaps)")
        #expect(answer.output.contains("the receivers keep running: 4 s between two locations leave no rest"))
    }
}
