import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing
import Varlink

/// From a program's request by the notification and polkit to its permission: the daemon, the agent and polkitd are the
/// real ones.
@Suite(
    .onOwnThread, .timeLimit(.minutes(10)),
    .enabled(if: DesktopSession.isPossible, "sessions of other users take root and control groups"))
struct DesktopAgentTests {
    private static let principal = "uid:\(DesktopSession.user.number)"

    /// A program of the user that waits for a decision.
    private func asker(_ daemon: DaemonProcess, _ parameters: RequestAuthorizationParameters) throws -> ClientConnection
    {
        let connection = try daemon.connection(uid: DesktopSession.user.number)
        try connection.send(LocationInterface.Method.requestAuthorization, parameters, more: true)
        #expect(try connection.next().answer(as: StatusReply.self).status.authorizationPending)
        return connection
    }

    @Test func personAnswersAndThePasswordDecides() async throws {
        let desktop = try DesktopSession(named: "e1")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let dialog = try await AuthenticationAgent(on: desktop.systemBus, in: desktop.session)
        let agent = try desktop.agent(of: daemon)
        let program = try asker(
            daemon, .init(level: .whenInUse, purpose: "<b>the way</b>\u{202e} home", program: "maps"))
        let question = try await screen.nextShown()
        #expect(question.summary == "A program asks for your position")
        #expect(
            question.body
                == "Your answer holds for all of your programs, while you are logged in.\n"
                + "It calls itself “maps” and gives the reason “&lt;b&gt;the way&lt;/b&gt;\\u{202e} home”.")
        #expect(
            question.actions == [
                "while-logged-in", "Allow", "only-roughly", "Only roughly", "never", "Never",
            ])
        #expect(question.timeout == 0 && question.hints["urgency"] == "2" && question.hints["resident"] == "1")
        try screen.answer(question.id, "while-logged-in")
        let asked = try await dialog.question()
        #expect(asked.action == "org.locationd.decide-own")
        #expect(try daemon.authorizations().first?.decidedBy == nil, "the click alone decides nothing")
        try dialog.authenticate(asked.cookie)
        #expect(try program.next().answer(as: StatusReply.self).status.authorization == .authorizedWhenInUse)
        #expect(try await screen.nextClosed() == question.id)
        let offer = try await screen.nextShown()
        #expect(offer.summary == "Your programs may know your position" && offer.timeout == -1)
        #expect(offer.actions == ["only-until-it-ends", "Only until it ends"] && offer.hints["urgency"] == "1")
        let record = try #require(try daemon.history(of: Self.principal).last { $0.event == .granted })
        #expect(record.by == "\(Self.principal) (own programs)" && record.authorization == .authorizedWhenInUse)
        try await dialog.end()
        try await screen.end()
        agent.signal(SIGTERM)
        #expect(try agent.wait() == 0, "\(agent.errors)")
        try daemon.stop()
    }

    /// One password, and what it gave is left to the program that asked by one press more.
    @Test func grantIsNarrowedToTheProgramWithoutAnotherPassword() async throws {
        let desktop = try DesktopSession(named: "e13")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let dialog = try await AuthenticationAgent(on: desktop.systemBus, in: desktop.session)
        let agent = try desktop.agent(of: daemon, language: "de_DE.UTF-8")
        let program = try asker(daemon, .init(level: .whenInUse, program: "maps"))
        let question = try await screen.nextShown()
        try screen.answer(question.id, "only-roughly")
        let asked = try await dialog.question()
        #expect(asked.action == "org.locationd.decide-own-roughly")
        try dialog.authenticate(asked.cookie)
        #expect(try program.next().answer(as: StatusReply.self).status.authorization == .authorizedWhenInUse)
        #expect(try await screen.nextClosed() == question.id)
        let offer = try await screen.nextShown()
        #expect(offer.summary == "Ihre Programme erfahren Ihren Standort" && offer.actions.last == "Nur bis es endet")
        // No answer to the question is one to the offer.
        try screen.answer(offer.id, "while-logged-in")
        try screen.answer(offer.id, "only-until-it-ends")
        #expect(try await screen.nextClosed() == offer.id)
        let reports = try daemon.authorizations().filter { $0.principal == Self.principal }
        #expect(reports.map(\.program) == ["maps"] && reports.first?.accuracy == .reduced, "\(reports)")
        // The next program is asked about.
        let photos = try asker(daemon, .init(level: .whenInUse, program: "photos"))
        #expect(try await screen.nextShown().body.contains("photos"))
        try await dialog.end()
        try await screen.end()
        withExtendedLifetime((agent, photos)) {}
        try daemon.stop()
    }

    @Test func menuEntryShowsOneNotificationWithTheProgramsAndEnds() async throws {
        let desktop = try DesktopSession(named: "e14")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        try daemon.decide(.authorizedAlways, Self.principal)
        let program = try daemon.connection(uid: DesktopSession.user.number)
        var request = WatchRequest()
        request.purpose = "<b>maps</b>"
        try program.send(LocationInterface.Method.watch, request, more: true)
        _ = try program.next()
        let menu = try desktop.agent(of: daemon, ["--usage"])
        let shown = try await screen.nextShown()
        #expect(shown.summary == "Programs that use your position" && shown.actions.isEmpty)
        #expect(shown.body.hasPrefix("“&lt;b&gt;maps&lt;/b&gt;”: now, exactly, "))
        #expect(try menu.wait() == 0, "\(menu.errors)")
        try await screen.end()
        try daemon.stop()
    }

    @Test func wrongPasswordDecidesNothingAndIsSaid() async throws {
        let desktop = try DesktopSession(named: "e2")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let dialog = try await AuthenticationAgent(on: desktop.systemBus, in: desktop.session)
        let agent = try desktop.agent(of: daemon, language: "de_DE.UTF-8")
        _ = try asker(daemon, .init(level: .always))
        let question = try await screen.nextShown()
        #expect(question.summary == "Ein Programm fragt nach Ihrem Standort")
        try screen.answer(question.id, "only-roughly")
        #expect(try await dialog.question().action == "org.locationd.decide-own-roughly")
        try dialog.giveUp()
        #expect(try await screen.nextClosed() == question.id)
        let failure = try await screen.nextShown()
        #expect(failure.summary == "Über den Standort ist nichts entschieden" && failure.actions.isEmpty)
        #expect(try daemon.authorizations().first?.authorization == .notDetermined)
        try await dialog.end()
        try await screen.end()
        withExtendedLifetime(agent) {}
        try daemon.stop()
    }

    /// Any program of the session can send the signal of an answer, and can be the one that asks.
    @Test func forgedAnswersAreNoAnswers() async throws {
        let desktop = try DesktopSession(
            named: "e3",
            rules: DesktopSession.consent
        )
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let agent = try desktop.agent(of: daemon)
        let program = try asker(daemon, .init(level: .whenInUse))
        let question = try await screen.nextShown()
        func forge(_ number: UInt32, _ key: String, to destination: [String]) throws {
            let signal = try desktop.start(
                "dbus-send",
                [
                    "--bus=" + desktop.sessionBus.address, "--type=signal",
                ] + destination + [
                    "/org/freedesktop/Notifications", "org.freedesktop.Notifications.ActionInvoked",
                    "uint32:\(number)", "string:\(key)",
                ])
            #expect(try signal.wait() == 0)
        }
        try forge(question.id, "while-logged-in", to: [])
        // The bus delivers what is sent to the agent alone, whatever its match rules say.
        try forge(question.id, "while-logged-in", to: ["--dest=org.locationd.Agent"])
        // The server's own signal about another notification, and with a key that there is not.
        try screen.answer(question.id + 7, "while-logged-in")
        try screen.answer(question.id, "always")
        // The signals of one sender arrive in order: what is decided is what the person says.
        try screen.answer(question.id, "never")
        #expect(try program.next().answer(as: StatusReply.self).status.authorization == .denied)
        let decisions = try daemon.history(of: Self.principal).filter { [.granted, .refused].contains($0.event) }
        #expect(decisions.map(\.authorization) == [.denied])
        try await screen.end()
        withExtendedLifetime(agent) {}
        try daemon.stop()
    }

    @Test func agentThatIsKilledInTheMiddleHasDecidedNothing() async throws {
        let desktop = try DesktopSession(named: "e4")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let dialog = try await AuthenticationAgent(on: desktop.systemBus, in: desktop.session)
        let agent = try desktop.agent(of: daemon)
        let program = try asker(daemon, .init(level: .whenInUse))
        let question = try await screen.nextShown()
        try screen.answer(question.id, "while-logged-in")
        let asked = try await dialog.question()
        agent.signal(SIGKILL)
        _ = try agent.wait()
        // The daemon has seen it go, and withdraws the dialog.
        #expect(try await dialog.question() == ("withdrawn", asked.cookie))
        #expect(try daemon.authorizations().first?.authorization == .notDetermined)
        // The next agent asks again.
        let next = try desktop.agent(of: daemon)
        #expect(try await screen.nextShown().summary == question.summary)
        // One is enough for a session.
        let second = try desktop.agent(of: daemon)
        #expect(try second.wait() == 0)
        #expect(second.output == "another locationd-agent serves this session\n")
        // An administrator decides meanwhile: the question goes away, and the program knows.
        try daemon.decide(.denied, Self.principal)
        #expect(try program.next().answer(as: StatusReply.self).status.authorization == .denied)
        _ = try await screen.nextClosed()
        try await dialog.end()
        try await screen.end()
        withExtendedLifetime(next) {}
        try daemon.stop()
    }

    @Test func daemonAndServerThatRestartAreFollowed() async throws {
        let desktop = try DesktopSession(named: "e5")
        let daemon = try desktop.daemon()
        let agent = try desktop.agent(of: daemon)
        _ = try asker(daemon, .init(level: .whenInUse, program: "maps"))
        // The notification server comes late.
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let first = try await screen.nextShown()
        try daemon.stop()
        #expect(try await screen.nextClosed() == first.id)
        try daemon.start()
        // The request is persisted; its program has gone.
        #expect(try await !screen.nextShown().body.contains("maps"))
        try await screen.end()
        let other = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let again = try await other.nextShown()
        #expect(again.summary == first.summary && !again.body.contains("maps"))
        try await other.end()
        withExtendedLifetime(agent) {}
        try daemon.stop()
    }

    @Test func withoutButtonsTheCommandIsTold() async throws {
        let desktop = try DesktopSession(named: "e6")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(
            on: desktop.sessionBus, uid: DesktopSession.user.number, capabilities: ["body"])
        let agent = try desktop.agent(of: daemon)
        let program = try asker(daemon, .init(level: .whenInUse, purpose: "a < b"))
        let notice = try await screen.nextShown()
        #expect(notice.actions.isEmpty)
        #expect(
            notice.body == "To allow it, type: locctl authorize me --when-in-use\nIt gives the reason “a < b”.")
        try await screen.end()
        withExtendedLifetime((agent, program)) {}
        try daemon.stop()
    }

    @Test func closedQuestionSettlesItsProgramAndASecondIsNamed() async throws {
        let desktop = try DesktopSession(named: "e12")
        let daemon = try desktop.daemon()
        let screen = try await NotificationDouble(
            on: desktop.sessionBus, uid: DesktopSession.user.number, name: "mako")
        let agent = try desktop.agent(of: daemon)
        let maps = try asker(daemon, .init(level: .whenInUse, program: "maps"))
        let first = try await screen.nextShown()
        #expect(first.body.hasPrefix("To allow it, type: locctl authorize me --when-in-use\n"), "mako hides actions")
        let photos = try asker(daemon, .init(level: .whenInUse, program: "photos"))
        let both = try await screen.nextShown()
        #expect(both.replaces == first.id && both.body.hasSuffix("They call themselves “maps”, “photos”."))
        try screen.close(both.id)
        let camera = try asker(daemon, .init(level: .whenInUse, program: "camera"))
        let next = try await screen.nextShown()
        #expect(next.body.hasSuffix("It calls itself “camera”."), "\(next.body)")
        try screen.answer(next.id, "never")
        for program in [maps, photos, camera] {
            #expect(try program.next().answer(as: StatusReply.self).status.authorization == .denied)
        }
        try await screen.end()
        withExtendedLifetime(agent) {}
        try daemon.stop()
    }

    /// A notification server that people use, on a screen that nobody sees.
    @Test func realServerShowsItAndBringsTheAnswer() throws {
        let desktop = try DesktopSession(named: "e8", rules: DesktopSession.consent)
        let daemon = try desktop.daemon()
        let display = try LoggedProcess("Xvfb", ["-displayfd", "1", "-screen", "0", "1000x500x24"])
        let number = try waitUntil("Xvfb has a display", details: { display.errors }) {
            display.output.hasSuffix("\n") ? display.output.dropLast() : nil
        }
        let home = try TemporaryFolder()
        chown(home.path, DesktopSession.user.number, DesktopSession.user.number)
        let screen = ["DISPLAY": ":\(number)", "HOME": home.path, "XDG_RUNTIME_DIR": home.path]
        // Its menu of the answers is another program, here one that takes the line of this one.
        let configuration = try home.write("[global]\ndmenu = /bin/grep -m 1 Allow\n", to: "dunstrc")
        chmod(configuration, 0o644)
        let server = try desktop.start("dunst", ["-conf", configuration], environment: screen)
        func dunstctl(_ arguments: String...) throws -> String {
            let command = try desktop.start("dunstctl", arguments, environment: screen)
            _ = try command.wait()
            return command.output
        }
        try waitUntil("dunst is on the bus", details: { server.errors }) {
            try desktop.sessionBus.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
                "string:org.freedesktop.Notifications"
            ).contains("true")
        }
        let agent = try desktop.agent(of: daemon)
        let program = try asker(daemon, .init(level: .whenInUse, program: "maps"))
        try waitUntil("the question is on the screen", details: { agent.errors + server.errors }) {
            try dunstctl("count", "displayed").hasPrefix("1")
        }
        _ = try dunstctl("context")
        #expect(try program.next().answer(as: StatusReply.self).status.authorization == .authorizedWhenInUse)
        try waitUntil("the question is gone") { try dunstctl("count", "displayed").hasPrefix("0") }
        try daemon.stop()
    }

    /// gpsd's program asks by the bridge, which says what it is.
    @Test func programOfGPSDIsAskedAboutToo() async throws {
        let desktop = try DesktopSession(named: "e9", rules: DesktopSession.consent)
        let daemon = try desktop.daemon(policy: "[users-decide]\nauthorization = \"authorizedAlways\"\n")
        let bridge = try BridgeProcess(daemon)
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let agent = try desktop.agent(of: daemon)
        let program = try desktop.start("gpspipe", ["-w", "127.0.0.1:\(bridge.port)"])
        let question = try await screen.nextShown()
        #expect(question.body.hasSuffix("It calls itself “gpsd client”."), "\(question.body)")
        try screen.answer(question.id, "while-logged-in")
        try waitUntil("the position comes", details: { program.output + program.errors + agent.errors }) {
            program.output.contains("\"mode\":3")
        }
        #expect(program.output.contains("\"class\":\"ERROR\""), "before that it is told why there is none")
        try await screen.end()
        try daemon.stop()
    }

    /// The same by the program that people watch.
    @Test func cgpsIsAskedAboutAndShowsThePosition() async throws {
        let desktop = try DesktopSession(named: "e10", rules: DesktopSession.consent)
        let daemon = try desktop.daemon(policy: "[users-decide]\nauthorization = \"authorizedAlways\"\n")
        let bridge = try BridgeProcess(daemon)
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let agent = try desktop.agent(of: daemon)
        let terminal = try Tmux(columns: 100, rows: 40)
        let user = (["setpriv"] + DesktopSession.user.command).joined(separator: " ")
        try terminal.type("\(user) cgps 127.0.0.1:\(bridge.port)")
        let question = try await screen.nextShown()
        #expect(try !terminal.screen().contains { $0.contains("3D SIM FIX") })
        try screen.answer(question.id, "while-logged-in")
        try terminal.awaitText("3D SIM FIX", "Latitude")
        try terminal.press("q")
        try await screen.end()
        withExtendedLifetime(agent) {}
        try daemon.stop()
    }

    @Test func programOverLocationKitIsToldOfEachDecision() async throws {
        let desktop = try DesktopSession(named: "e11", rules: DesktopSession.consent)
        let daemon = try desktop.daemon(policy: "[users-decide]\nauthorization = \"authorizedAlways\"\n")
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let agent = try desktop.agent(of: daemon)
        let program = try desktop.start(
            try desktop.copy(of: "BootedWatcher"), ["--ask"], environment: ["LOCATIOND_SOCKET": daemon.socket])
        let question = try await screen.nextShown()
        let claim = "“BootedWatcher” and gives the reason “tells all that it is told”"
        #expect(question.body.contains(claim), "\(question.body)")
        try screen.answer(question.id, "while-logged-in")
        try waitUntil("the position comes", details: { program.output + program.errors + agent.errors }) {
            program.output.contains("\nlocation ")
        }
        try daemon.decide(.denied, Self.principal)
        try waitUntil("the denial comes", details: { program.output }) {
            program.output.contains("authorization denied")
        }
        let told = program.output.split(separator: "\n").filter { $0.hasPrefix("authorization ") }
        #expect(
            told == ["authorization notDetermined", "authorization authorizedAlways", "authorization denied"])
        try await screen.end()
        try daemon.stop()
    }

    /// What the notification and the documents tell to type.
    @Test func commandDecidesForItsCaller() throws {
        let desktop = try DesktopSession(
            named: "e7",
            rules: DesktopSession.consent
        )
        let daemon = try desktop.daemon(policy: "[users-decide]\naccuracy = \"reduced\"\nlongest = 3600\n")
        let command = try desktop.copy(of: "locctl")
        func locctl(_ arguments: String...) throws -> LoggedProcess {
            let process = try desktop.start(command, arguments + ["--socket", daemon.socket])
            _ = try process.wait()
            return process
        }
        let refused = try locctl("authorize", "me", "--when-in-use")
        #expect(refused.exitCode == 4)
        #expect(
            refused.errors.hasPrefix("locctl: \(daemon.policy):1 lets users grant reduced accuracy only"),
            "\(refused.errors)")
        let granted = try locctl("authorize", "me", "--when-in-use", "--reduced", "--for", "1h")
        #expect(granted.exitCode == 0)
        #expect(granted.output.hasPrefix("you may know the position (authorized when in use"), "\(granted.output)")
        #expect(try locctl("deny", "me").output.hasPrefix("you may not know the position (denied)"))
        #expect(try daemon.authorizations().first?.decidedBy == "\(Self.principal) (own programs)")
        // Others are an administrator's business, whom polkit asks for.
        let other = try locctl("authorize", "uid:61234")
        #expect(
            other.exitCode == 4 && other.errors.contains("no program of this session asks for it"), "\(other.errors)")
        try daemon.stop()
    }
}
