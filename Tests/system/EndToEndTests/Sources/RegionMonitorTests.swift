import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Regions entered and left, as the built daemon tells them.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct RegionMonitorTests {
    /// No receiver: the only fixes are those that the test injects.
    private func daemon(policy: String? = nil) throws -> DaemonProcess {
        let settings = Settings.gpsd(try LoopbackPort.free())
        return try policy.map { try DaemonProcess(settings, policy: $0) } ?? DaemonProcess(settings)
    }

    @Test func scriptedDriveIsToldEventByEvent() throws {
        let daemon = try daemon()
        let monitor = try MonitorConnection(daemon.connection(), regions: [.home])
        try monitor.await("home unknown")
        #expect(try daemon.statistics().demand)
        for place in [Coordinate.away, .home, .away, .home] {
            try daemon.simulate(place)
            try monitor.await(place == .home ? "home inside" : "home outside")
        }
        #expect(monitor.events == ["home entered", "home exited", "home entered"])
        #expect(monitor.reports.compactMap(\.location?.value.sequence).risesStrictly)
        let client = try daemon.clients().first { $0.request == "Monitor" }
        #expect(client?.sent ?? 0 >= 6)
    }

    @Test func receiverRestsFarFromEveryBorder() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path], opensAtOnce: false)
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let start = try #require(Coordinate(latitude: 52, longitude: 13))
        let monitor = try MonitorConnection(
            daemon.connection(),
            regions: [.circle("country", around: start, radius: 200_000), .circle("home", around: .home, radius: 300)])
        try monitor.await("country inside", "home outside")
        try waitUntil("the receiver rests") { try !daemon.statistics().demand }
        // gpsd does so a minute after its last client.
        try waitUntil("gpsd has let go of it", within: 150) { !gpsd.hasOpen(receiver.path) }
        // Nearer ones need it at once.
        let here = try #require(monitor.reports.compactMap(\.location).last).value.coordinate
        let near = try MonitorConnection(daemon.connection(), regions: [.circle("near", around: here, radius: 5000)])
        try near.await("near inside")
        #expect(monitor.events.isEmpty && near.events.isEmpty)
    }

    @Test func endOfTheDaemonIsTold() throws {
        let daemon = try daemon()
        let monitor = try MonitorConnection(daemon.connection(), name: "mine", regions: [.home])
        try daemon.simulate(.home)
        try monitor.await("home inside")
        try daemon.stop()
        try monitor.readToTheEnd()
        #expect(monitor.isFinal && monitor.statuses.last?.reason == "stopping")
        var status = stat()
        #expect(stat(daemon.state + "/monitors.json", &status) == 0 && status.st_mode & 0o777 == 0o600)
        try daemon.start()
        let kept = try #require(try daemon.monitors().first)
        #expect(!kept.active && kept.reports.first?.state == .inside)
        #expect(kept.reports.first?.location?.age ?? 0 > 0)
        let again = try MonitorConnection(daemon.connection(), name: "mine", regions: nil)
        try again.await("home unknown")
        try daemon.simulate(.away)
        try again.await("home outside")
        #expect(again.events == ["home exited"])
    }

    /// Whatever the moment at which the daemon is killed, no event of one connection repeats another, and the first
    /// state told after it is true. What was decided in the last moment may not have been sent any more: then the next
    /// connection begins with the event back, which repeats the state told before.
    @Test func killedAtAnyMomentItTellsNothingTwice() throws {
        let daemon = try daemon()
        let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        var told: [[RegionReportOnWire]] = []
        var isInside = false
        var monitor = try MonitorConnection(daemon.connection(), name: "mine", regions: [.home])
        try monitor.await("home unknown")
        for _ in 0..<12 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                isInside.toggle()
                try daemon.simulate(isInside ? .home : .away)
            }
            poll(nil, 0, Int32.random(in: 0...20, using: &random))
            try daemon.kill()
            try monitor.readToTheEnd()
            told.append(monitor.reports)
            try daemon.start()
            isInside = Bool.random(using: &random)
            monitor = try MonitorConnection(daemon.connection(), name: "mine", regions: nil)
            try daemon.simulate(isInside ? .home : .away)
            try monitor.await(isInside ? "home inside" : "home outside")
        }
        // On a busy machine each kill may come before the first event; these two are awaited.
        for _ in 0..<2 {
            isInside.toggle()
            try daemon.simulate(isInside ? .home : .away)
            try monitor.await(isInside ? "home inside" : "home outside")
        }
        told.append(monitor.reports)
        for reports in told {
            var state = RegionState.unknown
            for report in reports where report.state != .unknown {
                if state != .unknown {
                    #expect(report.state != state && report.event != nil, "told twice; SEED=\(seed)")
                }
                state = report.state
            }
        }
        let events = told.joined().compactMap(\.event)
        #expect(events.contains(.entered) && events.contains(.exited))
    }

    @Test(.enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
    func othersLearnWhatTheyMay() throws {
        let stranger = OtherUser.stranger.number
        let daemon = try daemon()
        let forbidden = try MonitorConnection(daemon.connection(uid: stranger), name: "mine", regions: [.home])
        let own = try MonitorConnection(daemon.connection(), name: "mine", regions: [.home])
        try daemon.simulate(.home)
        try own.await("home inside")
        try forbidden.await("home unknown")
        try daemon.decide(.authorizedAlways, "uid:\(stranger)", accuracy: .reduced)
        let country = Region.circle("country", around: .home, radius: 100_000)
        let rough = try MonitorConnection(daemon.connection(uid: stranger), regions: [.home, country])
        try daemon.simulate(.home)
        try rough.await("country inside", "home unknown")
        let location = try #require(rough.reports.compactMap(\.location).first)
        #expect(location.value.horizontalAccuracy ?? 0 >= 1000 && location.value.coordinate != .home)
        try daemon.decide(.denied, "uid:\(stranger)")
        try daemon.simulate(.away)
        try own.await("home outside")
        try rough.readWaiting()
        #expect(rough.latest == ["country inside", "home unknown"])
        #expect(rough.statuses.last?.authorization == .denied)
        #expect(try daemon.history(of: "uid:\(stranger)").contains { $0.event == .delivered })
    }

    @Test func diskThatFailsIsSaidAndDelaysNothing() throws {
        let daemon = try daemon()
        #expect(mkdir(daemon.state + "/monitors.json.new", 0o700) == 0)
        let monitor = try MonitorConnection(daemon.connection(), name: "mine", regions: [.home])
        try daemon.simulate(.home)
        try monitor.await("home inside")
        try daemon.awaitLog("the states of monitors cannot be persisted")
    }

    @Test func brokenFileIsSetAside() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("state")
        try folder.write("{\"version\":1,\"moni", to: "state/monitors.json")
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()), in: folder)
        #expect(daemon.log.contains("the persisted state cannot be used"))
        #expect(text(of: daemon.state + "/monitors.json.unusable") == "{\"version\":1,\"moni")
        #expect(try daemon.monitors().isEmpty)
    }

    @Test func limitsAreConfigured() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()) + "[limits]\nregions = 3\n")
        let regions = (0..<4).map { Region.circle("\($0)", around: .home, radius: 300) }
        #expect(throws: LocationError.self) {
            try MonitorConnection(daemon.connection(), regions: regions).await("0 unknown")
        }
        try MonitorConnection(daemon.connection(), regions: Array(regions.prefix(3))).await("2 unknown")
    }
}

extension Sequence<Int64> {
    fileprivate var risesStrictly: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
