import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// What `locctl` tells of regions.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct RegionCommandTests {
    /// The Eiffel Tower, and the fix that stays there.
    private static let tower = ["48.8584", "2.2945", "150"]

    @Test func crossingsAreToldAndCounted() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let child = try daemon.start("monitor-region", Self.tower + ["--count", "2"])
        try waitUntil("it is inside", details: { child.errors }) { child.output.contains("is inside   circle") }
        try crossTheBorder(of: daemon, until: child)
        #expect(try child.wait() == 0, "\(child.errors)")
        let lines = child.output.split(separator: "\n")
        #expect(lines.count { $0.contains("  left        circle  ") } == 1, "\(lines)")
        #expect(lines.count { $0.contains("  entered     circle  ") } == 1, "\(lines)")
        #expect(try daemon.locctl("regions").output.contains("You have no persisted monitors"))
    }

    /// Sends the machine a kilometre away, until that is told; the fixed source brings it back. Farther off, the next
    /// fix would be long in coming.
    private func crossTheBorder(of daemon: DaemonProcess, until child: LoggedProcess) throws {
        try waitUntil("both crossings", details: { child.output + child.errors }) {
            if !child.output.contains("  left  ") {
                _ = try daemon.locctl("simulate", "48.8674", "2.2945", "--accuracy", "5")
            }
            return child.output.contains("  entered  ")
        }
    }

    @Test func polygonsOfAFileAreMonitored() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let folder = try TemporaryFolder()
        let file = folder("places.geojson")
        let square = { (west: Double) in
            "[[[\(west),48],[\(west + 1),48],[\(west + 1),49],[\(west),49],[\(west),48]]]"
        }
        func feature(_ name: String, _ type: String, _ rings: String) -> String {
            #"{"type":"Feature","id":"\#(name)","properties":null,"geometry":{"type":"\#(type)","coordinates":\#(rings)}}"#
        }
        let (paris, sea) = (feature("paris", "Polygon", square(2)), feature("sea\\u001b", "Polygon", square(-9)))
        try #"{"type":"FeatureCollection","features":[\#(paris),\#(sea)]}"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        let child = try daemon.start("monitor-region", ["--geojson", file, "--name", "places", "--json"])
        try waitUntil("both states", details: { child.errors }) {
            child.output.contains(#""state":"inside""#)
                && child.output.contains(#""state":"outside""#)
        }
        for line in child.output.split(separator: "\n") { _ = try json(String(line)) }
        let shown = try daemon.locctl("regions")
        #expect(shown.code == 0)
        #expect(shown.lines.contains { $0.hasPrefix("places") && $0.contains("connected  paris  ") }, "\(shown)")
        #expect(shown.output.contains(#"sea\u{1b}"#) && !shown.output.contains("\u{1b}"))
        child.signal(SIGINT)
        #expect(try child.wait() == 0)
        let list = try json(try daemon.locctl("regions", "--json").output)
        #expect((list["monitors"] as? [[String: Any]])?.first?["active"] as? Bool == false)
        #expect(try daemon.locctl("regions", "--remove", "places").code == 0)
        let gone = try daemon.locctl("regions", "--remove", "places")
        #expect(gone.code == 1 && gone.errors.contains("there is no monitor named places"))
        let point = feature("p", "Point", "[2,48]")
        try point.write(toFile: file, atomically: true, encoding: .utf8)
        let wrong = try daemon.locctl("monitor-region", "--geojson", file)
        #expect(wrong.code == 2 && wrong.errors.contains("Point"), "\(wrong)")
    }

    @Test func whatIsKeptIsTakenUp() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let first = try daemon.start("monitor-region", Self.tower + ["--name", "tower"])
        try waitUntil("it is inside", details: { first.errors }) { first.output.contains("is inside") }
        let second = try daemon.locctl("monitor-region", "--name", "tower")
        #expect(second.code == 1 && second.errors.contains("another program uses the monitor tower"), "\(second)")
        first.signal(SIGTERM)
        #expect(try first.wait() == 0)
        let third = try daemon.start("monitor-region", ["--name", "tower"])
        try waitUntil("it is inside", details: { third.errors }) { third.output.contains("is inside") }
        try daemon.stop()
        #expect(try third.wait() == 3)
    }

    @Test func whyNothingIsKnownIsSaid() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        #expect(try daemon.locctl("stop").code == 0)
        let child = try daemon.start("monitor-region", Self.tower)
        try waitUntil("it is unknown", details: { child.errors }) { child.output.contains("circle: unknown yet\n") }
        try waitUntil("the reason", details: { child.errors }) { child.errors.contains("-- switched off: ") }
        #expect(try daemon.locctl("start").code == 0)
        try waitUntil("it is inside", details: { child.errors }) { child.output.contains("is inside") }
        #expect(child.errors.components(separatedBy: "-- switched off").count == 2, "\(child.errors)")
    }
}
