import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

/// Full accuracy for a while, over a real daemon and its restarts.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct FullAccuracyTermTests {
    private let stranger = OtherUser.stranger.number
    private var principal: String { "uid:\(stranger)" }

    private func requestFullAccuracy(_ connection: ClientConnection, more: Bool = false) throws -> ServiceStatus {
        try connection.send(
            ClientConnection.Ask.requestAuthorization,
            RequestAuthorizationParameters(level: .whenInUse, purpose: "the exact gate", fullAccuracy: true), more: more
        )
        return try connection.nextStatus(continues: more)
    }

    @Test func requestIsShownGrantedAndKeptOverARestart() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.decide(.authorizedAlways, principal, accuracy: .reduced)
        let asker = try daemon.connection(uid: stranger)
        #expect(try requestFullAccuracy(asker, more: true).fullAccuracyPending == true)
        let list = try daemon.locctl("authorizations")
        #expect(list.output.contains("the exact gate") && list.output.contains("full accuracy"))
        #expect(list.output.contains("`locctl authorize \(principal) --full --for 1h`"), "\(list.output)")

        let grant = try daemon.locctl("authorize", principal, "--full", "--for", "1h")
        #expect(grant.code == 0 && grant.output.contains("with full accuracy, for 60 min"), "\(grant.output)")
        let answer = try asker.nextStatus(continues: false)
        #expect(answer.accuracy == .full && answer.authorization == .authorizedAlways)
        for restart in 0..<2 {
            if restart == 0 { try daemon.kill() } else { try daemon.stop() }
            try daemon.start()
            let status = try daemon.connection(uid: stranger).status()
            #expect(status.accuracy == .full)
            let remaining = try #require(status.authorizationRemaining)
            #expect((3000..<3600).contains(remaining))
        }
        #expect(try daemon.authorizations().first?.remaining != nil)
        // A decision without a term ends it.
        #expect(try daemon.locctl("authorize", principal, "--full", "--reduced").code == 2)
        #expect(try daemon.locctl("authorize", principal, "--reduced").code == 0)
        let status = try daemon.connection(uid: stranger).status()
        #expect(status.accuracy == .reduced && status.authorizationRemaining == nil)
    }

    @Test func endComesWhileItRunsAndTheWatchIsCutAtOnce() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.decide(.authorizedAlways, principal, accuracy: .reduced)
        #expect(try daemon.locctl("authorize", principal, "--full", "--for", "8s").code == 0)
        try daemon.stop()
        try daemon.start()
        let watch = try daemon.connection(uid: stranger)
        let opening = try watch.watch()
        #expect(opening.status?.accuracy == .full, "it is started again within the term")
        var hadFullLocation = opening.location?.value.speed != nil
        while true {
            let reply = try watch.next().answer(as: WatchReply.self)
            if reply.status?.accuracy == .reduced { break }
            if reply.location?.value.speed != nil { hadFullLocation = true }
        }
        #expect(hadFullLocation)
        let root = try daemon.watch()
        #expect(
            try watch.replies(duringFixesOf: root).allSatisfy { $0.location.map { $0.value.speed == nil } ?? true })
        let history = try daemon.locctl("audit", "--principal", principal)
        #expect(history.output.contains("ended"), "\(history.output)")
    }

    @Test func endComesWhileItDoesNotRun() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        #expect(try daemon.locctl("authorize", principal, "--when-in-use", "--reduced").code == 0)
        #expect(try daemon.locctl("authorize", principal, "--full", "--for", "1s").code == 0)
        let end = MachineClock.now.advanced(bySeconds: 1)
        try daemon.stop()
        try waitUntil("the term is over") { MachineClock.now > end }
        try daemon.start()
        let status = try daemon.connection(uid: stranger).status()
        #expect(status.authorization == .authorizedWhenInUse && status.accuracy == .reduced)
        #expect(status.authorizationRemaining == nil)
    }

    @Test(arguments: ["0", "-1", "1w", "400d", "h", "1e3", "nan", ""]) func termsAreNumbersWithAUnit(term: String)
        throws
    {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("authorize", principal, "--full", "--for=\(term)")
        #expect(answer.code == 2, "\(answer.errors)")
        #expect(try daemon.authorizations().isEmpty)
    }
}
