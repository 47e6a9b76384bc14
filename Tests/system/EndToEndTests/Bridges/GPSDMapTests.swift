import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Programs for gpsd that keep or draw the way: gpxlogger's track, and the map of FoxtrotGPS.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GPSDMapTests {
    /// The points of a track that is still being written, as the groups of latitude, longitude, elevation, time and
    /// mode.
    private func points(_ track: String) -> [(latitude: Double, longitude: Double, elevation: Double, time: String)] {
        let pattern =
            #/<trkpt lat="([-0-9.]+)" lon="([-0-9.]+)">\s*<ele>([-0-9.]+)</ele>\s*<time>([^<]+)</time>\s*<fix>3d</fix>/#
        return track.matches(of: pattern).compactMap { match in
            guard let latitude = Double(match.1), let longitude = Double(match.2), let elevation = Double(match.3)
            else { return nil }
            return (latitude, longitude, elevation, String(match.4))
        }
    }

    @Test func gpxloggerKeepsWhatTheDaemonSees() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let watch = try daemon.watch()
        let folder = try TemporaryFolder()
        let logger = try LoggedProcess("gpxlogger", ["-f", folder("track.gpx"), "127.0.0.1:\(bridge.port)"])
        let ten = try waitUntil("a track of ten points", details: { logger.errors + bridge.process.errors }) {
            let points = points(text(of: folder("track.gpx")))
            return points.count >= 10 ? points : nil
        }
        for point in ten {
            let location = try #require(
                // gpsd may report a moment twice: first without its altitude.
                try watch.wait("the fix of \(point.time) with an altitude") {
                    guard let location = $0.location?.value, location.ellipsoidalAltitude != nil else { return false }
                    return location.timestamp?.description == point.time
                }.location?.value)
            let altitude = try #require(location.ellipsoidalAltitude)
            #expect(abs(point.latitude - location.coordinate.latitude) < 1e-9)
            #expect(abs(point.longitude - location.coordinate.longitude) < 1e-9)
            #expect(abs(point.elevation - altitude) < 0.001)
        }
        #expect(Set(ten.map(\.time)).count == ten.count, "each once")
        logger.signal(SIGTERM)
        _ = try logger.wait()
        #expect(text(of: folder("track.gpx")).contains("</gpx>"), "it ended its file")
        #expect(bridge.process.exitCode == nil)
    }

    /// FoxtrotGPS centres its map on the position when it leaves the middle, and records the map's corner in its
    /// settings.
    @Test(.enabled(if: access("/usr/bin/foxtrotgps", X_OK) == 0, "Debian 13 has no FoxtrotGPS"))
    func foxtrotGPSCentresItsMapOnThePosition() throws {
        let receiver = try Receiver(knots: 400)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let watch = try daemon.watch()
        let display = try LoggedProcess("Xvfb", ["-displayfd", "1", "-screen", "0", "1000x800x24"])
        let number = try waitUntil("Xvfb has a display", details: { display.errors }) {
            display.output.hasSuffix("\n") ? display.output.dropLast() : nil
        }
        let folder = try TemporaryFolder()
        let settings = try folder.write(
            """
            [org/foxtrotgps]
            gpsd-host='127.0.0.1'
            gpsd-port='\(bridge.port)'
            auto-download=false
            global-zoom=\(Self.zoom)
            global-x=0
            global-y=0

            """, to: "glib-2.0/settings/keyfile")
        let program = try LoggedProcess(
            "foxtrotgps", [],
            environment: [
                "DISPLAY": ":\(number)", "GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": folder.path,
                "HOME": folder.path, "LC_ALL": "C.UTF-8",
            ])
        var corners: [(x: Int, y: Int)] = []
        try waitUntil("it has moved its map twice", details: { "\(corners) \(program.errors.suffix(1000))" }) {
            if let code = program.exitCode { throw Failure("it ended with \(code): \(program.errors)") }
            let values = text(of: settings).matches(of: #/global-([xy])=(\d+)/#)
            guard let x = values.first(where: { $0.1 == "x" }).flatMap({ Int($0.2) }), x > 0,
                let y = values.first(where: { $0.1 == "y" }).flatMap({ Int($0.2) }), y > 0
            else { return false }
            if corners.last?.x != x || corners.last?.y != y { corners.append((x, y)) }
            return corners.count >= 3
        }
        // The map's middle is as far from its corner each time.
        let tracks = watch.locations.map { Self.pixel($0.coordinate) }
        let first = try #require(tracks.first)
        let across = first.x - Double(corners[0].x)
        #expect(across > 0 && across < 700, "the map is where the daemon is")
        for corner in corners {
            #expect(abs(first.x - Double(corner.x) - across) <= 1, "it drives north")
            #expect(
                tracks.contains { (0..<480).contains($0.y - Double(corner.y)) },
                "\(corner) of \(tracks.map(\.y))")
        }
        #expect(corners.last.map(\.y) ?? 0 < corners[0].y, "the map follows it north")
        #expect(try daemon.locctl("clients").output.contains("gpsd client"))
        #expect(bridge.process.exitCode == nil)
    }

    private static let zoom = 17

    /// Where a coordinate is on the map of the whole world, pixels from its corner in the north west.
    private static func pixel(_ coordinate: Coordinate) -> (x: Double, y: Double) {
        let size = 256 * Double(1 << zoom)
        let latitude = coordinate.latitude * .pi / 180
        return (
            (coordinate.longitude + 180) / 360 * size, (1 - asinh(tan(latitude)) / .pi) / 2 * size
        )
    }
}
