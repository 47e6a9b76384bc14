import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// What was decided holds over every ending of the daemon; where it cannot be read, it lets nobody in.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct StoredDecisionTests {
    private let stranger = OtherUser.stranger.number
    private var principal: String { "uid:\(stranger)" }

    @Test func decisionThatWasAnsweredSurvivesAKill() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let turns: [(SetAuthorizationParameters.Answer, AuthorizationStatus)] = [
            (.authorizedAlways, .authorizedAlways), (.denied, .denied), (.authorizedWhenInUse, .authorizedWhenInUse),
            (.denied, .denied), (.authorizedAlways, .authorizedAlways),
        ]
        for (turn, (answer, status)) in turns.enumerated() {
            try daemon.decide(answer, principal, accuracy: .reduced)
            try daemon.kill()
            try daemon.start()
            #expect(try daemon.connection(uid: stranger).status().authorization == status, "turn \(turn)")
        }
        #expect(try daemon.connection(uid: stranger).status().accuracy == .reduced)
        #expect(try daemon.authorizations().first?.decidedBy == "uid:0")
        try daemon.forget(principal)
        try daemon.kill()
        try daemon.start()
        #expect(try daemon.connection(uid: stranger).status().authorization == .notDetermined)
        var status = stat()
        #expect(stat(daemon.decisions, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func requestSurvivesACleanEnd() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        #expect(try daemon.connection(uid: stranger).ask(for: .whenInUse, purpose: "weather").authorizationPending)
        try daemon.stop()
        try daemon.start()
        let asked = try daemon.authorizations()
        #expect(asked.count == 1 && asked.first?.principal == principal && asked.first?.pending == true)
        #expect(asked.first?.level == .whenInUse && asked.first?.purpose == "weather")
        let status = try daemon.connection(uid: stranger).status()
        #expect(status.authorizationPending && status.reason?.hasPrefix("nobody has decided yet; ") == true)
    }

    enum Damage: String, CaseIterable { case truncated, emptied, flipped, replaced }

    private func damaged(_ content: Data, by damage: Damage) -> Data {
        var content = content
        switch damage {
        case .truncated: return content.dropLast(content.count / 2)
        case .emptied: return Data()
        case .flipped: content[content.startIndex + content.count / 2] ^= 0x20
        case .replaced: return Data("{\"entries\":{},\"version\":1}".utf8)
        }
        return content
    }

    @Test(arguments: Damage.allCases) func unreadableDecisionsLetNobodyIn(damage: Damage) throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[access]\ngroup = \"games\"\n")
        let group = try #require(getgrnam("games")).pointee.gr_gid
        try daemon.decide(.authorizedAlways, principal)
        try daemon.decide(.denied, "uid:61236")
        try daemon.stop()
        let whole = try Data(contentsOf: URL(filePath: daemon.decisions))
        let broken = damaged(whole, by: damage)
        try broken.write(to: URL(filePath: daemon.decisions))
        try daemon.start()

        let connection = try daemon.connection(uid: stranger)
        let opening = try connection.watch()
        #expect(opening.status?.authorization == .restricted && opening.location == nil)
        let reason = try #require(opening.status?.reason)
        #expect(reason.hasPrefix("the decisions in \(daemon.decisions) cannot be read ("))
        let mark = daemon.decisions.replacing("decisions.json", with: "decisions.mark")
        #expect(
            reason.hasSuffix(
                "); an administrator can restore that file, or remove it and \(mark) to begin with none, "
                    + "and run `locctl reload`"))
        for (uid, groups) in [(61_236, []), (61_237, []), (61_238, [group])] as [(UInt32, [UInt32])] {
            let other = try daemon.connection(uid: uid, groups: groups)
            #expect(try other.status().authorization == .restricted, "uid \(uid)")
            #expect(try other.refusal() == .unauthorized(.restricted, reason: reason), "uid \(uid)")
            #expect(try other.ask().authorization == .restricted, "uid \(uid)")
        }
        let root = try daemon.watch()
        try root.awaitLocation()
        #expect(try connection.replies(duringFixesOf: root).allSatisfy { $0.location == nil })
        // Nothing is decided on top of what cannot be read.
        #expect(throws: LocationError.refused(error: AdminInterface.Failure.failed, reason: reason)) {
            try daemon.decide(.authorizedAlways, "uid:61237")
        }
        _ = try daemon.reload()
        #expect(daemon.log.split(separator: "\n").count { $0.hasPrefix("critical: ") } == 1, "\(daemon.log)")
        #expect(try Data(contentsOf: URL(filePath: daemon.decisions)) == broken, "it is left for repair")

        try whole.write(to: URL(filePath: daemon.decisions))
        _ = try daemon.reload()
        try connection.awaitStatus(.authorizedAlways)
        try connection.awaitLocation()
        #expect(try daemon.connection(uid: 61_236).status().authorization == .denied)
        #expect(try daemon.connection(uid: 61_237).status().authorization == .notDetermined)
        try daemon.stop()
        #expect(try Data(contentsOf: URL(filePath: daemon.decisions)) == whole)
    }
}
