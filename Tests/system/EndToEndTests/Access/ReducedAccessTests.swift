import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Reduced accuracy is one secret of the machine's, and outlives the daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct ReducedAccessTests {
    private let stranger = OtherUser.stranger.number
    private let truth = Coordinate(latitude: 48.8584, longitude: 2.2945)
    private static let policy =
        "[[rules]]\nuser = \(OtherUser.stranger.number)\n"
        + "authorization = \"authorizedAlways\"\naccuracy = \"reduced\"\n"

    @Test func restartsTellNothingMore() throws {
        let daemon = try DaemonProcess(Settings.fixed, policy: Self.policy)
        var told: Set<Coordinate?> = []
        for restart in 0..<20 {
            let location = try daemon.connection(uid: stranger).location()
            told.insert(location.coordinate)
            let accuracy = try #require(location.horizontalAccuracy)
            let distance = try #require(truth).distance(to: location.coordinate)
            #expect(distance <= accuracy && accuracy < 10_000, "restart \(restart): \(distance) m, \(accuracy) m")
            #expect(location.altitude == nil && location.speed == nil && location.course == nil)
            if restart % 2 == 0 { try daemon.kill() } else { try daemon.stop() }
            try daemon.start()
        }
        #expect(told.count == 1, "each further answer would narrow the place down")
        #expect(told.first != truth)
    }

    @Test func fullAccuracyStaysFullBesideIt() throws {
        let daemon = try DaemonProcess(Settings.fixed, policy: Self.policy)
        let reduced = try daemon.connection(uid: stranger)
        let root = try daemon.watch()
        #expect(try root.awaitLocation().coordinate == truth)
        var parameters = WatchRequest()
        parameters.satellites = true
        parameters.heading = true
        parameters.everySource = true
        let opening = try reduced.watch(parameters)
        #expect(opening.status?.accuracy == .reduced)
        let location = try opening.location?.value ?? reduced.awaitLocation()
        #expect(location.coordinate != truth)
        #expect(try reduced.replies(duringFixesOf: root).allSatisfy { $0.location == nil }, "one in ten minutes")
        #expect(try daemon.connection(uid: stranger).location() == location, "the same to everybody")
        let simulated = try daemon.locctl("simulate", "10", "20")
        #expect(simulated.code == 0)
        #expect(try daemon.connection(uid: stranger).location() == location, "wherever the machine is by then")
    }

    @Test func secretIsTheDaemonsAlone() throws {
        let daemon = try DaemonProcess(Settings.fixed, policy: Self.policy)
        _ = try daemon.connection(uid: stranger).location()
        var status = stat()
        #expect(stat(daemon.state + "/state.json", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(daemon.state, &status) == 0 && status.st_mode & 0o777 == 0o700)
        try waitUntil("what was told is kept") {
            let state = try json(text(of: daemon.state + "/state.json"))["reduction"] as? [String: Any]
            return (state?["places"] as? [Any])?.isEmpty == false
        }
    }

    /// Each start would draw another secret, and many answers together tell the place.
    @Test func secretThatCannotBeKeptIsNotUsed() throws {
        let folder = try TemporaryFolder()
        let state = try folder.makeFolder("state")
        let disk = try TinyDisk(on: state)
        // A folder in the new file's place is as good as a full disk.
        if disk == nil { #expect(mkdir(state + "/state.json.new", 0o700) == 0) }
        try folder.write("", to: "state/lock")
        if disk != nil { try TinyDisk.fill(state) }
        try DaemonProcess.write(Self.policy, in: folder)
        let daemon = try DaemonProcess(Settings.fixed, in: folder)
        #expect(daemon.log.contains("reduced accuracy is not available, because its secret cannot be persisted"))
        let reason =
            "reduced accuracy needs a persistent secret, and the state directory cannot store it; "
            + "the daemon's log has the cause"
        let connection = try daemon.connection(uid: stranger)
        #expect(try connection.refusal() == .unauthorized(.authorizedAlways, reason: reason))
        let opening = try connection.watch()
        #expect(opening.location == nil && opening.status?.reason == reason)
        let root = try daemon.watch()
        #expect(try root.awaitLocation().coordinate == truth, "who may know all is not concerned")
        #expect(try connection.replies(duringFixesOf: root).allSatisfy { $0.location == nil })
        try daemon.stop()
        _ = disk
    }
}
