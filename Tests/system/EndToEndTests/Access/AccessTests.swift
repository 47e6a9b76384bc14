import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing
import Varlink

/// What rules and decisions give to a program of another user, from its first question to its last location.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct AccessTests {
    private let stranger = OtherUser.stranger.number
    private var principal: String { "uid:\(stranger)" }

    @Test func askingIsAnsweredByTheDecision() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.connection(uid: stranger)
        #expect(try watch.watch().location == nil)
        let asker = try daemon.connection(uid: stranger)
        let first = try asker.ask(purpose: "to find the way", more: true)
        #expect(first.authorization == .notDetermined && first.authorizationPending)
        #expect(try watch.awaitReply { $0.status?.authorizationPending == true }.location == nil)
        let asked = try #require(try daemon.authorizations().first)
        #expect(asked.principal == principal && asked.pending && asked.purpose == "to find the way")
        #expect(asked.connections == 2)

        let answer = try daemon.locctl("authorize", principal)
        #expect(answer.code == 0, "\(answer)")
        let last = try asker.nextStatus(continues: false)
        #expect(last.authorization == .authorizedAlways && !last.authorizationPending)
        #expect(try asker.location().source.name == "simulator", "on the same connection")
        try watch.awaitStatus(.authorizedAlways)
        try watch.awaitLocation()
        #expect(try daemon.connection(uid: stranger + 1).status().authorization == .notDetermined, "nobody else may")
    }

    @Test func denialCutsALiveWatch() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.decide(.authorizedAlways, principal)
        let watch = try daemon.connection(uid: stranger)
        try watch.watch()
        try watch.awaitLocation()
        let root = try daemon.watch()
        try root.awaitLocation()

        #expect(try daemon.locctl("deny", principal).code == 0)
        let status = try watch.awaitStatus(.denied)
        let reason = "an administrator denied it to \(principal), and allows it by `sudo locctl authorize \(principal)`"
        #expect(status.reason == reason && status.fixAge == nil)
        #expect(try watch.replies(duringFixesOf: root).allSatisfy { $0.location == nil })
        let connection = try daemon.connection(uid: stranger)
        #expect(try connection.refusal() == .unauthorized(.denied, reason: reason))
        #expect(try connection.ask(more: false).authorization == .denied, "asking again changes nothing")

        try daemon.decide(.authorizedAlways, principal)
        try watch.awaitLocation()
    }

    @Test func denialEndsARequestThatWaits() throws {
        // Nothing listens, so that the request has to wait.
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        try daemon.decide(.authorizedAlways, principal)
        let connection = try daemon.connection(uid: stranger)
        try connection.send(ClientConnection.Ask.getLocation, LocationRequest(timeout: 60))
        try waitUntil("the request waits") { try daemon.statistics().requests == 1 }
        try daemon.decide(.denied, principal)
        #expect(try connection.next().error == LocationInterface.Failure.notAuthorized)
        #expect(try daemon.statistics().requests == 0)
    }

    @Test func restrictionIsNotToBeDecidedAway() throws {
        let daemon = try DaemonProcess(
            policy: """
                [[rules]]
                user = \(stranger)
                authorization = "restricted"
                [[rules]]
                group = 70001
                authorization = "restricted"
                """)
        let byUser = "\(daemon.policy):1 forbids it; an administrator can change that rule"
        let connection = try daemon.connection(uid: stranger)
        #expect(try connection.refusal() == .unauthorized(.restricted, reason: byUser))
        #expect(try connection.ask(more: false).authorizationPending == false)
        #expect(
            throws: LocationError.refused(
                error: AdminInterface.Failure.failed,
                reason: "\(daemon.policy):1 restricts \(principal), which no decision changes; edit that file first")
        ) { try daemon.decide(.authorizedAlways, principal) }
        // Whose group it is that is restricted, a decision about the user does not know.
        let member = try daemon.connection(uid: 61_236, groups: [70_001])
        try daemon.decide(.authorizedAlways, "uid:61236")
        #expect(try member.status().authorization == .restricted)
        #expect(try member.status().reason == byUser.replacing(":1 ", with: ":4 "))
        #expect(try daemon.connection(uid: 61_236).status().authorization == .authorizedAlways)
    }

    @Test func firstRuleThatMatchesDecides() throws {
        let daemon = try DaemonProcess(
            Settings.fixed,
            policy: """
                [[rules]]
                user = 61301
                authorization = "authorizedAlways"
                [[rules]]
                group = 70002
                authorization = "authorizedAlways"
                accuracy = "reduced"
                [[rules]]
                user = 61302
                authorization = "restricted"
                [[rules]]
                everyone = true
                authorization = "ask"
                accuracy = "reduced"
                """)
        let full = try daemon.connection(uid: 61_301, groups: [70_002])
        #expect(try full.location().altitude == 35)
        #expect(try full.status().accuracy == .full)
        let reduced = try daemon.connection(uid: 61_302, groups: [70_002])
        let status = try reduced.status()
        #expect(status.authorization == .authorizedAlways && status.accuracy == .reduced)
        let location = try reduced.location()
        #expect(location.altitude == nil && location.horizontalAccuracy ?? 0 > 1000)
        #expect(try daemon.connection(uid: 61_302).status().authorization == .restricted)
        // What is decided about everyone else is not more precise than the rule.
        let root = try daemon.connection(uid: 0)
        #expect(try root.status().authorization == .notDetermined, "everyone is root too")
        try daemon.decide(.authorizedAlways, "uid:0", accuracy: .full)
        #expect(try root.status().accuracy == .reduced)
        #expect(try root.location() == location, "all who know roughly know the same")
    }

    @Test func unknownPrincipalsAreRefused() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        for name in ["user:no-such-user", "uid:65534", "uid:-1", "uid:4294967295", "unit:navigator", "games", ""] {
            #expect(throws: LocationError.self, "\(name)") { try daemon.decide(.authorizedAlways, name) }
        }
        #expect(try daemon.authorizations().isEmpty)
        #expect(try daemon.decide(.authorizedAlways, "user:root").principal == "uid:0")
    }
}
