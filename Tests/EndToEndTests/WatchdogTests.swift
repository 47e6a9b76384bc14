import Glibc
import LocationModel
import TestSupport
import Testing

/// The watchdog is fed while the daemon is alive, every thread of it that matters, and no longer.
@Suite(.onOwnThread, .timeLimit(.minutes(2)))
struct WatchdogTests {
    private static let timeout = 1.0

    @Test func idleDaemonIsAlive() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), watchdog: Self.timeout)
        _ = try UnixSocket(path: daemon.socket)
        try eventually("it is fed again and again") { daemon.feedings >= 4 }
    }

    @Test(.enabled(if: getuid() == 0, "only root may stop a thread"))
    func frozenReaderIsNoticed() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try ActivatedDaemon(Settings.gpsd(gpsd.port), watchdog: Self.timeout)
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let freezer = try daemon.freeze("gps-reader")
        try eventually("it is told", details: { daemon.log }) {
            daemon.log.contains("a thread does not answer") && daemon.log.contains("thread=gps-reader")
        }
        try expectHunger(daemon)
        freezer.signal(SIGKILL)
        let fed = daemon.feedings
        try eventually("it is fed again") { daemon.feedings > fed }
    }

    @Test(.enabled(if: getuid() == 0, "only root may stop a thread"))
    func frozenEventLoopIsNoticed() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), watchdog: Self.timeout)
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let freezer = try daemon.freeze("NIO-ELT-*")
        try expectHunger(daemon)
        freezer.signal(SIGKILL)
        let fed = daemon.feedings
        try eventually("it is fed again") { daemon.feedings > fed }
    }

    @Test func silentReceiverIsNoFrozenReader() throws {
        // Nothing comes, and the reader waits for longer than the watchdog does.
        let gpsd = try GPSD([])
        let daemon = try ActivatedDaemon(Settings.gpsd(gpsd.port), watchdog: Self.timeout)
        let watch = try daemon.watch()
        try watch.awaitStatus(.searching)
        let fed = daemon.feedings
        try eventually("it is fed on") { daemon.feedings >= fed + 6 }
        #expect(!daemon.log.contains("a thread does not answer"), "\(daemon.log)")
    }

    @Test func withoutWatchdogNothingIsFed() throws {
        let daemon = try ActivatedDaemon(Settings.simulator())
        try daemon.watch().awaitLocation()
        try daemon.awaitMessage("it is idle") { $0 == "STATUS=idle; no clients" }
        #expect(daemon.feedings == 0)
    }

    /// For longer than systemd would wait, nothing comes.
    private func expectHunger(_ daemon: ActivatedDaemon) throws {
        let clock = ContinuousClock()
        let (fed, end) = (daemon.feedings, clock.now + .seconds(2 * Self.timeout))
        try eventually("the time is over") { clock.now > end }
        #expect(daemon.feedings == fed)
    }
}
