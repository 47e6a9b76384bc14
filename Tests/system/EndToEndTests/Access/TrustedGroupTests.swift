import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// As shipped: root, the daemon's user and the members of one group may know; everybody else is to ask.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct TrustedGroupTests {
    /// A group that every Debian has.
    private static let group: UInt32? = getgrnam("games")?.pointee.gr_gid
    private static let settings = Settings.simulator() + "[access]\ngroup = \"games\"\n"
    private let stranger = OtherUser.stranger.number

    private func trustedGroup() throws -> UInt32 { try #require(Self.group, "no group games") }

    @Test func rootIsAuthorized() throws {
        let daemon = try DaemonProcess(Self.settings)
        let root = try daemon.connection(uid: 0)
        let status = try root.status()
        #expect(status.authorization == .authorizedAlways && status.accuracy == .full && status.reason == nil)
        #expect(try root.location().altitude != nil)
    }

    @Test func daemonsUserIsAuthorizedAndNoOther() throws {
        let user = OtherUser(number: 61_235)
        let daemon = try DaemonProcess(Self.settings, as: user)
        #expect(try daemon.connection(uid: user.number).location().source.name == "simulator")
        #expect(try daemon.connection(uid: 0).location().source.name == "simulator")
        #expect(try daemon.connection(uid: 9, groups: [trustedGroup()]).location().source.name == "simulator")
        #expect(try daemon.connection(uid: stranger).status().authorization == .notDetermined)
        let statistics = try daemon.connection(uid: user.number, by: daemon.control)
            .call(DaemonProcess.Order.getStatistics, as: StatisticsReply.self).statistics
        #expect(statistics.pid == Int(daemon.process.pid), "who runs it administers it")
    }

    @Test func everybodyElseIsToldTheCommand() throws {
        let daemon = try DaemonProcess(Self.settings)
        let way =
            "an administrator allows it by `sudo locctl authorize uid:\(stranger)`"
        let connection = try daemon.connection(uid: stranger)
        let status = try connection.status()
        #expect(status.authorization == .notDetermined && !status.authorizationPending)
        #expect(status.reason == "nobody has been asked yet; \(way)")
        #expect(status.fixAge == nil && status.satellitesVisible == nil && status.satellitesUsed == nil)
        #expect(try connection.refusal() == .unauthorized(.notDetermined, reason: "nobody has been asked yet; \(way)"))
        #expect(try connection.ask().reason == "nobody has decided yet; \(way)")

        let root = try daemon.watch()
        try root.awaitLocation()
        let opening = try connection.watch()
        #expect(opening.location == nil && opening.status?.authorization == .notDetermined)
        #expect(opening.status?.fixAge == nil, "not even that there is one")
        #expect(
            try connection.replies(duringFixesOf: root).allSatisfy { $0.location == nil && $0.status?.fixAge == nil })
    }

    @Test func missingGroupTrustsNobody() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[access]\ngroup = \"no-such-group\"\n")
        #expect(daemon.log.contains("the trusted group does not exist"))
        // A first try needs no group, and is not warned of that.
        let trial = try DaemonProcess("[access]\ngroup = \"no-such-group\"\n", flags: ["--simulate"])
        #expect(!trial.log.contains("trusted group"), "\(trial.log)")
        #expect(try daemon.connection(uid: stranger, groups: [trustedGroup()]).status().authorization == .notDetermined)
        #expect(try daemon.connection(uid: 0).status().authorization == .authorizedAlways)
    }

    /// The kernel keeps with a connection the groups that its process had when it made it.
    @Test func groupsAreThoseOfTheMomentOfConnecting() throws {
        let daemon = try DaemonProcess(Self.settings)
        let program = try OtherUserProcess()
        try program.become(stranger)
        let before = try program.connect(to: daemon.socket)
        #expect(try before.status().authorization == .notDetermined)
        #expect(try before.watch().location == nil)

        try program.become(stranger, groups: [trustedGroup()])
        let member = try program.connect(to: daemon.socket)
        #expect(try member.status().authorization == .authorizedAlways)
        let root = try daemon.watch()
        try root.awaitLocation()
        #expect(try before.replies(duringFixesOf: root).allSatisfy { $0.location == nil })

        try program.become(stranger)
        let after = try program.connect(to: daemon.socket)
        #expect(try after.status().authorization == .notDetermined)
        // Deciding anew asks nobody for other groups.
        _ = try daemon.reload()
        #expect(try member.location().source.name == "simulator")
        #expect(try after.status().authorization == .notDetermined)
        #expect(try before.replies(duringFixesOf: root).allSatisfy { $0.location == nil })
    }

    @Test func primaryGroupCountsToo() throws {
        let daemon = try DaemonProcess(Self.settings)
        let program = try OtherUserProcess()
        try program.become(stranger, group: trustedGroup())
        #expect(try program.connect(to: daemon.socket).status().authorization == .authorizedAlways)
    }

    @Test func noGroupIsOverlookedAmongMany() throws {
        let last: UInt32 = 70_300
        let daemon = try DaemonProcess(
            policy: "[[rules]]\ngroup = \(last)\nauthorization = \"authorizedAlways\"\n")
        let others = Array(70_000..<last)
        #expect(
            try daemon.connection(uid: stranger, groups: others + [last]).status().authorization == .authorizedAlways)
        #expect(try daemon.connection(uid: stranger, groups: others).status().authorization == .notDetermined)
    }
}
