import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Authorized while the user is here, as the login manager's records say and the installed libsystemd reads them.
@Suite(
    .onOwnThread, .timeLimit(.minutes(10)),
    .enabled(if: OtherUser.canBeBecome && LoginRecords.areWritable, "only root writes login records"))
struct WhenInUseTests {
    private func absence(of uid: UInt32) -> String {
        "uid \(uid) has no active login session; it goes on when there is one, "
            + "or an administrator allows it at any time by `sudo locctl authorize uid:\(uid)`"
    }

    @Test func watchIsSuspendedWhileTheUserIsAway() throws {
        let records = try LoginRecords()
        try records.set("active")
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.decide(.authorizedWhenInUse, "uid:\(records.uid)")
        let root = try daemon.watch()
        try root.awaitLocation()
        let connection = try daemon.connection(uid: records.uid)
        #expect(try connection.watch().status?.authorization == .authorizedWhenInUse)
        try connection.awaitLocation()
        for state in ["online", "closing"] {
            try records.set(state)
            let status = try #require(try connection.awaitReply { $0.status?.reason != nil }.status)
            #expect(status.authorization == .authorizedWhenInUse && status.reason == absence(of: records.uid))
            #expect(status.fixAge == nil)
            let meanwhile = try connection.replies(duringFixesOf: root)
            #expect(meanwhile.allSatisfy { $0.location == nil && $0.status?.reason == status.reason }, "\(meanwhile)")
            let other = try daemon.connection(uid: records.uid)
            #expect(try other.refusal() == .unauthorized(.authorizedWhenInUse, reason: absence(of: records.uid)))

            try records.set("active")
            let back = try #require(try connection.awaitReply { $0.status != nil }.status)
            #expect(back.authorization == .authorizedWhenInUse && back.reason == nil)
            try connection.awaitLocation()
            #expect(try other.location().source.name == "simulator")
        }
        try records.remove()
        #expect(try connection.awaitReply { $0.status != nil }.status?.reason == absence(of: records.uid))
        try daemon.decide(.authorizedAlways, "uid:\(records.uid)")
        try connection.awaitStatus(.authorizedAlways)
        try connection.awaitLocation()
    }

    @Test func anothersSessionIsNotOnesOwn() throws {
        let records = try LoginRecords(count: 2)
        try records.set("active", of: 1)
        let daemon = try DaemonProcess(
            policy: "[[rules]]\neveryone = true\nauthorization = \"authorizedWhenInUse\"\n")
        #expect(
            try daemon.connection(uid: records.uid).refusal()
                == .unauthorized(.authorizedWhenInUse, reason: absence(of: records.uid)))
        #expect(try daemon.connection(uid: records.uid + 1).location().source.name == "simulator")
    }

    /// A machine whose receivers nobody present wants lets them rest.
    @Test func absenceStopsTheReceivers() throws {
        let records = try LoginRecords()
        try records.set("active")
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.decide(.authorizedWhenInUse, "uid:\(records.uid)")
        let connection = try daemon.connection(uid: records.uid)
        try connection.watch()
        try connection.awaitLocation()
        #expect(try daemon.statistics().demand)
        try records.set("online")
        try waitUntil("nobody needs them") { try daemon.statistics().demand == false }
        try records.set("active")
        try connection.awaitLocation()
    }
}
