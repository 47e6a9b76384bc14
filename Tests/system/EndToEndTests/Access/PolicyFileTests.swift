import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A policy takes effect at once, whole or not at all; a mistake lets nobody in.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct PolicyFileTests {
    private let stranger = OtherUser.stranger.number

    private func rule(_ authorization: String) -> String {
        "[[rules]]\nuser = \(stranger)\nauthorization = \"\(authorization)\"\n"
    }

    /// What a reload is answered, as a mistake.
    private func mistake(_ daemon: DaemonProcess) throws -> String? {
        do {
            _ = try daemon.reload()
            return nil
        } catch LocationError.refused(AdminInterface.Failure.invalidConfiguration, let reason) {
            return reason
        }
    }

    @Test(arguments: [
        ("[[rules]]\neveryone = true\nauthorization = \"authorizedAllways\"\n", ":3: rules[0].authorization: "),
        ("[[rules]]\neveryone = true\nauthorisation = \"authorizedAlways\"\n", ":3: rules[0].authorisation: "),
        ("[[rules]]\nauthorization = \"authorizedAlways\"\n", ":1: rules[0]: "),
        ("[[rules]]\nuser = \"no-such-user\"\nauthorization = \"authorizedAlways\"\n", ":2: rules[0].user: "),
        ("[[rule]]\neveryone = true\nauthorization = \"authorizedAlways\"\n", ":1: rule"),
        ("[[rules]]\neveryone = true\nauthorization = \"authorizedAlways\n", ":3: "),
    ])
    func daemonDoesNotStartWithAMistake(policy: String, place: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(Settings.simulator(), to: "locationd.toml")
        try DaemonProcess.write(policy, in: folder)
        let child = try LoggedProcess(Products.daemon, DaemonProcess.flags(in: folder))
        #expect(try child.wait() == 2)
        #expect(child.errors.hasPrefix("locationd: \(folder("policy.toml"))\(place)"), "\(child.errors)")
        #expect(child.errors.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder("run")), "nobody could have connected")
    }

    @Test func mistakeChangesNothing() throws {
        let daemon = try DaemonProcess(policy: rule("authorizedAlways"))
        let allowed = try daemon.connection(uid: stranger)
        try allowed.watch()
        try allowed.awaitLocation()
        let other = try daemon.connection(uid: stranger + 1)
        #expect(try other.watch().location == nil)
        let root = try daemon.watch()
        try root.awaitLocation()

        try daemon.write(policy: "[[rules]]\neveryone = true\nauthorization = \"authorizedAlways\"\ncolour = 1\n")
        let place = "\(daemon.policy):4: rules[0].colour: "
        #expect(try mistake(daemon)?.hasPrefix(place) == true)
        daemon.process.signal(SIGHUP)
        try daemon.awaitLog(place)
        #expect(daemon.log.contains("the new configuration is invalid; the former one stays in effect"))
        let meanwhile = try other.replies(duringFixesOf: root)
        #expect(meanwhile.allSatisfy { $0.location == nil && $0.status?.authorization == .notDetermined })
        #expect(try daemon.connection(uid: stranger + 1).status().authorization == .notDetermined)
        _ = try allowed.waiting()
        try allowed.awaitLocation()
        #expect(try daemon.connection(uid: stranger).status().authorization == .authorizedAlways)
    }

    @Test func changeReachesOpenWatches() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let root = try daemon.watch()
        try root.awaitLocation()
        let connection = try daemon.connection(uid: stranger)
        #expect(try connection.watch().location == nil)

        try daemon.write(policy: rule("authorizedAlways"))
        #expect(try daemon.reload() == ReloadReport(changed: ["policy"], needRestart: []))
        try connection.awaitStatus(.authorizedAlways)
        try connection.awaitLocation()

        try daemon.write(policy: rule("restricted"))
        daemon.process.signal(SIGHUP)
        #expect(try connection.awaitStatus(.restricted).reason?.hasPrefix("\(daemon.policy):1 forbids it") == true)
        #expect(try connection.replies(duringFixesOf: root).allSatisfy { $0.location == nil })

        try FileManager.default.removeItem(atPath: daemon.policy)
        #expect(try daemon.reload().changed == ["policy"], "without a file the built-in rules hold")
        try connection.awaitStatus(.notDetermined)
        #expect(try connection.replies(duringFixesOf: root).allSatisfy { $0.location == nil })
        #expect(try daemon.reload().changed.isEmpty)
        let changes = try daemon.history(of: "uid:\(stranger)").filter { $0.by != nil }
        #expect(changes.map(\.event) == [.granted, .revoked] && changes.allSatisfy { $0.by == "the policy" })
    }

    @Test func fileThatOthersCanWriteIsRefused() throws {
        let daemon = try DaemonProcess(policy: rule("restricted"))
        let connection = try daemon.connection(uid: stranger)
        try daemon.write(policy: rule("authorizedAlways"))
        for (mode, who) in [(0o666, "its group and everyone"), (0o664, "its group"), (0o602, "everyone")] {
            #expect(chmod(daemon.policy, mode_t(mode)) == 0)
            #expect(
                try mistake(daemon) == "\(daemon.policy): may be changed by \(who), "
                    + "who could let anyone know the position; run chmod go-w on it")
        }
        #expect(chmod(daemon.policy, 0o644) == 0 && chown(daemon.policy, stranger, 0) == 0)
        #expect(try mistake(daemon)?.contains("belongs to uid \(stranger)") == true)
        #expect(try connection.status().authorization == .restricted)
        try daemon.stop()
        #expect(chown(daemon.policy, 0, 0) == 0 && chmod(daemon.policy, 0o666) == 0)
        let child = try LoggedProcess(Products.daemon, DaemonProcess.flags(in: daemon.folder))
        #expect(try child.wait() == 2 && child.errors.contains("run chmod go-w on it"), "\(child.errors)")

        #expect(chmod(daemon.policy, 0o644) == 0)
        try daemon.start()
        #expect(try daemon.connection(uid: stranger).status().authorization == .authorizedAlways)
    }

    @Test func linkThatLeadsNowhereDoesNotDropTheRules() throws {
        let daemon = try DaemonProcess(policy: rule("restricted"))
        try FileManager.default.removeItem(atPath: daemon.policy)
        try FileManager.default.createSymbolicLink(atPath: daemon.policy, withDestinationPath: "gone.toml")
        #expect(try mistake(daemon) == "\(daemon.policy): is a dangling link; repair or remove the link")
        try daemon.decide(.denied, "uid:61236")
        #expect(try daemon.connection(uid: stranger).status().authorization == .restricted)
    }
}
