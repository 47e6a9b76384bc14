import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Stock GeoClue reads the NMEA socket, and its programs get what the bridge is allowed.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct GeoClueTests {
    private static let bridge = "bridge:nmea"
    private static let enabled = "[nmea]\nenabled = true\n"

    private func reader(_ daemon: DaemonProcess) throws -> ClientReport? {
        try daemon.connect().call(AdminInterface.Method.listClients, as: ClientList.self, seconds: 20).clients
            .first { $0.socket == .nmea }
    }

    /// The number after the last such word that where-am-i printed, `Latitude:    48.858400°`.
    private func last(_ word: String, of program: LoggedProcess) -> Double? {
        program.output.components(separatedBy: "\(word):").last.flatMap { Scanner(string: $0).scanDouble() }
    }

    @Test func programsOfGeoClueGetWhatTheBridgeIsAllowed() throws {
        let daemon = try DaemonProcess(Self.enabled + Settings.fixed)
        let geoclue = try GeoClue(reading: daemon.runtime + "/" + SocketName.nmea)
        #expect(try reader(daemon) == nil, "it connects when a program asks")
        let program = try geoclue.whereAmI()
        let client = try waitUntil("GeoClue connects", details: { geoclue.log }) { try reader(daemon) }
        #expect(client.principal == Self.bridge)
        #expect(try !daemon.statistics().demand, "who may not know starts no receiver")
        let root = try daemon.watch()
        try root.awaitLocation()
        #expect(!program.output.contains("Latitude"), "nobody has decided")
        #expect(
            try daemon.locctl("authorizations").output.contains(
                "* waits for a decision: `locctl authorize bridge:nmea`"))

        #expect(try daemon.locctl("authorize", Self.bridge).output.contains("1 open connection was updated"))
        try waitUntil("the location arrives", details: { program.output + geoclue.log }) {
            program.output.contains("Altitude")
        }
        let truth = try root.awaitLocation()
        #expect(abs(try #require(last("Latitude", of: program)) - truth.coordinate.latitude) < 1e-6)
        #expect(abs(try #require(last("Longitude", of: program)) - truth.coordinate.longitude) < 1e-6)
        #expect(last("Altitude", of: program) == truth.altitude)
        #expect(last("Accuracy", of: program) == 300, "the worst GeoClue knows, for it is unknown")
    }

    @Test func programThatEndsReleasesTheReceiver() throws {
        let daemon = try DaemonProcess(Self.enabled + Settings.simulator())
        try daemon.decide(.authorizedAlways, Self.bridge)
        let geoclue = try GeoClue(reading: daemon.runtime + "/" + SocketName.nmea)
        let program = try geoclue.whereAmI()
        try waitUntil("the location arrives", details: { program.output + geoclue.log }) {
            program.output.contains("Speed")
        }
        #expect(try daemon.statistics().demand)
        program.signal(SIGTERM)
        try waitUntil("the receiver is released", details: { geoclue.log }) { try !daemon.statistics().demand }
        #expect(try reader(daemon) == nil)
    }

    @Test func socketIsForItsGroup() throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(Self.enabled + Settings.fixed, in: folder)
        let path = daemon.runtime + "/" + SocketName.nmea
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
        #expect(status.st_gid == getgrnam("geoclue")?.pointee.gr_gid)
        #expect(throws: (any Error).self) { try OtherUserProcess(uid: OtherUser.stranger.number).connect(to: path) }
        try daemon.stop()
        #expect(stat(path, &status) != 0, "it goes with the daemon")
        let other = try DaemonProcess(Self.enabled + "group = \"no-such-group\"\n" + Settings.fixed)
        #expect(other.log.contains("the group of the NMEA socket does not exist"))
        let none = try DaemonProcess(Settings.fixed)
        #expect(stat(none.runtime + "/" + SocketName.nmea, &status) != 0, "off unless wanted")
    }
}
