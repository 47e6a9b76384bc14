import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Several sources in rank: each stands in for those above it, and `locctl status` says why.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct RankedSourcesTests {
    private static let delivery =
        "[delivery]\nstale-after = 2\nlinger = 0.5\nfailover-delay = 2\nfailover-hysteresis = 1\n"

    private static func gpsd(_ name: String, _ gpsd: GPSD, device: String = "") -> String {
        "[[sources]]\nkind = \"gpsd\"\nname = \"\(name)\"\nport = \(gpsd.port)\ndevice = \"\(device)\"\n"
    }

    @Test func receiversStandInForEachOtherAndAWrittenPositionForBoth() throws {
        let first = try Receiver(north: 10)
        let second = try Receiver(north: 20)
        let gpsds = [try GPSD([first.path]), try GPSD([second.path])]
        let folder = try TemporaryFolder()
        let file = folder("geolocation")
        try folder.write("48.8584\n2.2945\n35\n10\n", to: "geolocation")
        let daemon = try DaemonProcess(
            Self.delivery + Self.gpsd("roof", gpsds[0]) + Self.gpsd("backup", gpsds[1])
                + "[[sources]]\nkind = \"static-file\"\nname = \"written\"\nfile = \"\(file)\"\n")
        let watch = try daemon.watch()
        func awaitSource(_ name: String) throws -> Location {
            let seen = watch.replies.count
            return try watch.wait("\(name) serves", after: seen) { $0.location?.value.source.name == name }
                .location?.value ?? { throw Failure("a reply without its location") }()
        }

        #expect(try awaitSource("roof").source.device == first.path)
        // A receiver that is not needed costs no power, should it have been started before the first had its fix.
        try waitUntil("the first runs alone") {
            try daemon.status().sources?.map(\.state) == [.tracking, .stopped, .stopped]
        }

        let begun = watch.locations.count

        first.fallSilent()
        #expect(try awaitSource("backup").coordinate.latitude > 15)
        #expect(try daemon.status().sourceName == "backup")
        let answer = try daemon.locctl("status")
        #expect(answer.code == 0 && answer.output.contains("source      backup (\(second.path))"), "\(answer.output)")
        #expect(answer.output.contains("instead of  roof, no fix for "), "\(answer.output)")
        #expect(answer.output.contains("\(first.path) has stopped sending fixes"), "\(answer.output)")

        first.speakAgain()
        #expect(try awaitSource("roof").coordinate.latitude < 15)
        try waitUntil("the backup stops") { try daemon.statistics().sources[1].running == false }
        #expect(try !daemon.locctl("status").output.contains("instead of"))

        second.fallSilent()
        try gpsds[0].kill()
        let place = try awaitSource("written")
        #expect(place.coordinate.latitude == 48.8584 && place.altitude == 35 && place.timestamp == nil)
        let last = try daemon.locctl("status").output
        #expect(last.contains("instead of  roof, ") && last.contains("gpsd is not running there"), "\(last)")
        #expect(last.contains("instead of  backup, "), "\(last)")

        try folder.write("48,8584\n2.2945\n", to: "geolocation")
        try watch.awaitStatus(.lost, after: watch.replies.count)
        let tried = try daemon.locctl("status").output
        #expect(
            tried.contains("tried       written, no fix for ") && tried.contains("\(file):1: the latitude"), "\(tried)")

        try gpsds[0].start()
        #expect(try awaitSource("roof").coordinate.latitude < 15)
        #expect(watch.locations.risesStrictly && watch.end == nil && watch.dropped == 0)
        for (one, next) in zip(watch.locations, watch.locations.dropFirst()) where one.source != next.source {
            #expect(next.monotonicTime > one.monotonicTime)
        }
        let names = watch.locations.dropFirst(begun - 1).map(\.source.name)
        let turns = zip(names, names.dropFirst()).count { $0 != $1 }
        #expect(turns == 4, "no two sources are told in turn: \(names)")
    }

    @Test func whoAsksOnceWaitsForTheLastOfThem() throws {
        let port = try LoopbackPort.free()
        // The first is given up for unreachable long before the second is started.
        let daemon = try DaemonProcess(
            "[delivery]\nfailover-delay = 3\n[[sources]]\nkind = \"gpsd\"\nport = \(port)\n"
                + "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let answer = try daemon.locctl("status")
        #expect(answer.code == 0 && answer.output.hasPrefix("48.858400, 2.294500"), "\(answer)")
        #expect(answer.output.contains("instead of  gpsd, no fix yet: nothing listens on"), "\(answer.output)")
    }

    @Test func missingFileIsNoMissingReceiver() throws {
        let folder = try TemporaryFolder()
        let file = folder("geolocation")
        let daemon = try DaemonProcess("[[sources]]\nkind = \"static-file\"\nfile = \"\(file)\"\n")
        let answer = try daemon.locctl("status")
        #expect(answer.code == 5 && answer.output.contains("there is no \(file); write"), "\(answer)")
        #expect(!answer.output.contains("/dev/tty"), "\(answer.output)")
    }

    @Test func sourcesOfOneGPSDAreToldApartByTheirDevices() throws {
        let first = try Receiver(north: 10)
        let second = try Receiver(north: 20)
        let gpsd = try GPSD([first.path, second.path])
        let daemon = try DaemonProcess(
            Self.delivery + Self.gpsd("absent", gpsd, device: "/dev/absent")
                + Self.gpsd("one", gpsd, device: first.path) + Self.gpsd("other", gpsd, device: second.path))
        let all = try daemon.watch { $0.everySource = true }
        for name in ["one", "other"] {
            try all.wait("\(name) is seen") { $0.location?.value.source.name == name }
        }
        let seen = all.replies.count
        try all.wait("they go on", after: seen + 10) { $0.location?.value.source.name == "other" }
        #expect(
            all.locations.allSatisfy { ($0.source.name == "one") == ($0.source.device == first.path) },
            "each tells of its own receiver alone")
        let status = try daemon.status()
        #expect(status.sourceName == "one" || status.sourceName == "other")
        let reason = status.sources?.first?.reason ?? "nothing"
        #expect(reason.contains("/dev/absent") && reason.contains("check `device` in locationd.toml"), "\(reason)")
    }
}
