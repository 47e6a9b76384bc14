import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// The watchdog is fed while the daemon is alive, every thread of it that matters, and no longer.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct WatchdogTests {
    private static let timeout = 1.0

    @Test func idleDaemonIsAlive() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), watchdog: Self.timeout)
        _ = try UnixSocket(path: daemon.socket)
        try waitUntil("it is fed again and again") { daemon.feedings >= 4 }
    }

    @Test(.enabled(if: getuid() == 0, "only root may stop a thread"))
    func frozenReaderIsNoticed() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try ActivatedDaemon(Settings.gpsd(gpsd.port), watchdog: Self.timeout)
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let freezer = try daemon.freeze("gps-reader")
        try waitUntil("it is told", details: { daemon.log }) {
            daemon.log.contains("a thread does not respond") && daemon.log.contains("thread=gps-reader")
        }
        try expectHunger(daemon)
        freezer.signal(SIGKILL)
        let fed = daemon.feedings
        try waitUntil("it is fed again") { daemon.feedings > fed }
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
        try waitUntil("it is fed again") { daemon.feedings > fed }
    }

    @Test func silentReceiverIsNoFrozenReader() throws {
        // Nothing comes, and the reader waits for longer than the watchdog does, which is patient enough for a busy
        // machine.
        let gpsd = try GPSD([])
        let daemon = try ActivatedDaemon(Settings.gpsd(gpsd.port), watchdog: 4)
        let watch = try daemon.watch()
        try watch.awaitStatus(.unavailable)
        let fed = daemon.feedings
        try waitUntil("it is fed on") { daemon.feedings >= fed + 3 }
        #expect(!daemon.log.contains("a thread does not respond"), "\(daemon.log)")
    }

    @Test func withoutWatchdogNothingIsFed() throws {
        let daemon = try ActivatedDaemon(Settings.simulator())
        try daemon.watch().awaitLocation()
        try daemon.awaitMessage("it is idle") { $0 == "STATUS=idle; no clients" }
        #expect(daemon.feedings == 0)
    }

    @Test func idleDaemonSleeps() throws {
        let daemon = try ActivatedDaemon(Settings.simulator())
        try daemon.watch().awaitLocation()
        try daemon.awaitMessage("it is idle") { $0 == "STATUS=idle; no clients" }
        try expectSleep(of: daemon, seconds: 3, wakings: 0)
    }

    @Test func idleDaemonWakesForTheWatchdogAlone() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), watchdog: 2)
        try daemon.watch().awaitLocation()
        try daemon.awaitMessage("it is idle") { $0 == "STATUS=idle; no clients" }
        try expectSleep(of: daemon, seconds: 4, wakings: 5)
    }

    /// There is a time in which no thread of the daemon has more to do; it may take a while to come to rest.
    private func expectSleep(of daemon: ActivatedDaemon, seconds: Double, wakings: Int) throws {
        let clock = ContinuousClock()
        var (start, switches) = (clock.now, try daemon.process.contextSwitches)
        try waitUntil("it sleeps", within: 60) {
            let now = try daemon.process.contextSwitches
            if now - switches > wakings { (start, switches) = (clock.now, now) }
            return clock.now - start > .seconds(seconds)
        }
    }

    /// For longer than systemd would wait, nothing comes.
    private func expectHunger(_ daemon: ActivatedDaemon) throws {
        let clock = ContinuousClock()
        let (fed, end) = (daemon.feedings, clock.now + .seconds(2 * Self.timeout))
        try waitUntil("the time is over") { clock.now > end }
        #expect(daemon.feedings == fed)
    }
}

extension LoggedProcess {
    /// How often its threads, all of them, have gone to sleep.
    fileprivate var contextSwitches: Int {
        get throws {
            let folder = "/proc/\(pid)/task"
            let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
            return threads.reduce(0) { sum, thread in
                let lines = text(of: "\(folder)/\(thread)/status").split(separator: "\n")
                let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
                return sum + (line?.split { !$0.isNumber }.last.flatMap { Int($0) } ?? 0)
            }
        }
    }
}
