import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// The daemon with a compass on a private bus: python3-dbusmock's iio-sensor-proxy.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct CompassDaemonTests {
    /// A compass beside a position in Reykjavik, where magnetic north is some 11° west of true north.
    private static let configuration =
        "[delivery]\nlinger = 0.5\n[[sources]]\nkind = \"static\"\nlatitude = 64.15\nlongitude = -21.94\n"
        + "[[sources]]\nkind = \"compass\"\n"

    private func start(_ bus: PrivateBus) throws -> DaemonProcess {
        try DaemonProcess(Self.configuration, environment: bus.environment)
    }

    private func awaitClaims(_ count: Int, of proxy: SensorProxy) throws {
        try waitUntil("the compass is claimed \(count) times") { try proxy.claims == count }
    }

    private func awaitHeading(_ degrees: Double, in child: LoggedProcess) throws -> [String: Any] {
        try waitUntil("locctl prints \(degrees)", details: { child.output + child.errors }) {
            for line in child.output.split(separator: "\n") {
                guard let heading = try json(line)["heading"] as? [String: Any] else { continue }
                if heading["magneticHeading"] as? Double == degrees, heading["trueHeading"] != nil { return heading }
            }
            return nil
        }
    }

    @Test func claimLastsAsLongAsHeadingsAreWanted() throws {
        let bus = try PrivateBus()
        let proxy = try SensorProxy(on: bus, heading: 100)
        let daemon = try start(bus)
        let location = try daemon.watch()
        try location.awaitLocation()
        #expect(try daemon.status().headingAvailable == true)
        #expect(try proxy.claims == 0, "locations alone do not claim it")
        let child = try daemon.start("watch", ["--heading", "--json"])
        let heading = try awaitHeading(100, in: child)
        #expect((87...92).contains(try #require(heading["trueHeading"] as? Double)))
        try awaitClaims(1, of: proxy)
        let status = try #require(try daemon.status().compasses?.first)
        #expect(status.name == "compass")
        #expect(status.state == .tracking)
        child.signal(SIGINT)
        _ = try child.wait()
        try awaitClaims(0, of: proxy)
        #expect(try daemon.locctl("statistics").output.contains("compass"))
    }

    @Test func diagnosisHasALinkForIt() throws {
        let bus = try PrivateBus()
        let daemon = try start(bus)
        let missing = try daemon.locctl("diagnose")
        #expect(missing.code != 0 && missing.output.contains("[!!] compass     compass: "), "\(missing)")
        #expect(missing.output.contains("[ok] fix"), "\(missing)")
        let proxy = try SensorProxy(on: bus, heading: 100)
        try waitUntil("the compass is found") {
            try daemon.locctl("diagnose").output.contains("[ok] compass     compass delivers headings")
        }
        try awaitClaims(0, of: proxy)
    }

    @Test func locationKitReceivesThemThroughItsFilter() throws {
        let bus = try PrivateBus()
        let proxy = try SensorProxy(on: bus, heading: 10)
        let daemon = try start(bus)
        var configuration = LocationConfiguration()
        configuration.socketPath = daemon.control
        let manager = LocationManager(configuration)
        manager.headingFilter = 20
        let headings = ValueRecorder<Heading>()
        let observer = Observer<Heading>(on: .immediate) { headings.append($0) }
        manager.addObserver(observer)
        manager.startUpdatingHeading()
        func awaitHeading(_ degrees: Double) throws {
            try waitUntil("\(degrees) comes") { headings.values.last?.magneticHeading == degrees }
        }
        try awaitHeading(10)
        for degrees in [15.0, 25, 35] { try proxy.turn(to: degrees) }
        try awaitHeading(35)
        #expect(!headings.values.contains { $0.magneticHeading == 15 || $0.magneticHeading == 25 })
        manager.stopUpdatingHeading()
        try awaitClaims(0, of: proxy)
    }

    @Test func proxyThatDiesIsSaidAndDisturbsNoLocation() throws {
        let bus = try PrivateBus()
        let first = try SensorProxy(on: bus, heading: 100)
        let daemon = try start(bus)
        let child = try daemon.start("watch", ["--heading", "--json"])
        _ = try awaitHeading(100, in: child)
        let location = try daemon.watch()
        try location.awaitLocation()
        try first.kill()
        try waitUntil("the status says what is missing", details: { daemon.log }) {
            guard let compass = try daemon.status().compasses?.first else { return false }
            return compass.state == .unavailable
                && compass.reason?.contains("iio-sensor-proxy is not running") == true
        }
        #expect(try daemon.status().headingAvailable == false)
        #expect(try daemon.status().source == .tracking)
        let seen = location.replies.count
        try location.awaitLocation(after: seen)
        let second = try SensorProxy(on: bus, heading: 200)
        _ = try awaitHeading(200, in: child)
        try awaitClaims(1, of: second)
        #expect(location.statuses.allSatisfy { $0.source != .lost && $0.source != .unavailable })
    }

    @Test func aSpinningCompassDisturbsNobody() throws {
        let bus = try PrivateBus()
        let proxy = try SensorProxy(on: bus, heading: 0)
        let daemon = try start(bus)
        let headings = try daemon.watch { $0.heading = true }
        try headings.wait("a heading comes") { $0.heading != nil }
        let location = try daemon.watch()
        let began = ContinuousClock.now
        try proxy.spin(20_000, endingAt: 321)
        try headings.wait("the last heading comes") { $0.heading?.value.magneticHeading == 321 }
        let seconds = began.duration(to: .now) / .seconds(1)
        let delivered = headings.replies.count { $0.heading != nil }
        #expect(Double(delivered) < 20 * seconds + 30)
        #expect(location.dropped == 0)
        let counters = try daemon.locctl("statistics", "--json").output
        #expect(counters.contains("coalesced") && counters.contains("floods"))
        #expect(daemon.log.contains("more than 1000 headings in a second"))
    }

    @Test func withoutABusTheDaemonRunsAndSaysSo() throws {
        let daemon = try DaemonProcess(
            Self.configuration, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
        let watch = try daemon.watch { $0.heading = true }
        try watch.awaitLocation()
        try waitUntil("the status says what is missing", details: { daemon.log }) {
            try daemon.status().compasses?.first?.reason?.contains("the system bus cannot be used") == true
        }
    }
}
