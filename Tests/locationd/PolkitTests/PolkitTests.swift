@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import Polkit

/// The gate with the real polkitd: who is asked, and what comes of it.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: PolkitService.isPossible, "polkitd with sessions of its own takes root and control groups"))
struct PolkitTests {
    /// The user `daemon`: polkit knows nobody without an account.
    private static let uid: UInt32 = 1

    /// A process that does nothing until it is ended.
    private func idle(
        _ session: PolkitService.Session? = nil, uid: UInt32 = uid
    ) async throws -> AssistantProcess {
        let script = "import socket; hand = socket.socket(fileno=0); hand.sendall(b'here'); hand.recv(1)"
        let process = try AssistantProcess(AssistantProcess.python(script), uid: uid, in: session?.group)
        // Before that it is still being made the user's.
        #expect(try await process.hear() == "here")
        return process
    }

    private func subject(_ process: AssistantProcess) -> PolkitSubject { PolkitSubject(pid: process.id, uid: Self.uid) }

    private func ask(
        _ bus: PrivateBus, _ action: PolkitAction = .decideOwn, by process: AssistantProcess, patience: Double = 60,
        until waker: Waker? = nil
    ) async throws -> PolkitAnswer {
        let waker = try #require(waker ?? Waker())
        return await Polkit(address: bus.address, patience: patience).check(action, by: subject(process), until: waker)
    }

    @Test func ruleOfTheDistributionDecides() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(
            on: bus,
            rules: """
                polkit.addRule(function (action, subject) {
                    if (action.id == "org.locationd.decide-own" && subject.local && subject.active) return polkit.Result.YES;
                });
                """)
        let session = try polkit.addSession("c1", of: Self.uid)
        let process = try await idle(session)
        #expect(try await ask(bus, by: process) == .authorized)
        try await process.end()
    }

    /// Two people at two seats of one machine: each counts at her own.
    @Test func eachSeatHasItsOwnForeground() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(
            on: bus,
            rules:
                "polkit.addRule(function (a, subject) { if (subject.local && subject.active) return polkit.Result.YES; });"
        )
        let other: UInt32 = 2
        let first = try await idle(try polkit.addSession("c7", of: Self.uid, seat: "seat0"))
        let second = try await idle(try polkit.addSession("c8", of: other, seat: "seat1"), uid: other)
        func answer(_ process: AssistantProcess, _ uid: UInt32) async throws -> PolkitAnswer {
            let waker = try #require(Waker())
            return await Polkit(address: bus.address)
                .check(.decideOwn, by: PolkitSubject(pid: process.id, uid: uid), until: waker)
        }
        #expect(try await answer(first, Self.uid) == .authorized)
        #expect(try await answer(second, other) == .authorized)
        try polkit.setActive(false, "c8", of: other, seat: "seat1")
        #expect(try await answer(first, Self.uid) == .authorized)
        guard case .refused = try await answer(second, other) else {
            Issue.record("the background is not refused")
            return
        }
        for process in [first, second] { try await process.end() }
    }

    @Test func sessionsThatAreNotInFrontOfTheMachineAreRefused() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(on: bus)
        let session = try polkit.addSession("c2", of: Self.uid, seat: nil)
        let (remote, none) = (try await idle(session), try await idle())
        for process in [remote, none] {
            guard case .refused(let reason) = try await ask(bus, by: process) else {
                Issue.record("not refused")
                continue
            }
            #expect(reason.hasPrefix("only who sits at this machine can allow it"))
        }
        try polkit.setActive(false, "c2", of: Self.uid)
        guard case .refused = try await ask(bus, by: remote) else {
            Issue.record("the background is not refused")
            return
        }
        for process in [remote, none] { try await process.end() }
    }

    @Test func withoutAnAgentItIsSaidWhatIsMissing() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(on: bus)
        let process = try await idle(try polkit.addSession("c3", of: Self.uid))
        for action in PolkitAction.allCases {
            guard case .refused(let reason) = try await ask(bus, action, by: process) else {
                Issue.record("\(action) is not refused")
                continue
            }
            #expect(reason.contains("no program of this session asks for it"))
        }
        try await process.end()
    }

    @Test func personAuthenticatesOrDoesNot() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(on: bus)
        let session = try polkit.addSession("c4", of: Self.uid)
        let agent = try await AuthenticationAgent(on: bus, in: session)
        let process = try await idle(session)
        async let refused = ask(bus, by: process)
        #expect(try await agent.question().action == "org.locationd.decide-own")
        try agent.giveUp()
        #expect(try await refused == .refused("the authentication failed: the password was wrong"))
        async let authorized = ask(bus, by: process)
        let cookie = try await agent.question().cookie
        try agent.authenticate(cookie)
        #expect(try await authorized == .authorized)
        // One password is for one decision.
        async let again = ask(bus, by: process)
        _ = try await agent.question()
        try agent.giveUp()
        _ = try await again
        try await process.end()
        try await agent.end()
    }

    @Test func questionIsWithdrawn() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(on: bus)
        let session = try polkit.addSession("c5", of: Self.uid)
        let agent = try await AuthenticationAgent(on: bus, in: session)
        let process = try await idle(session)
        // By who asked.
        let waker = try #require(Waker())
        async let gone = ask(bus, by: process, until: waker)
        let first = try await agent.question()
        waker.wake()
        #expect(try await gone == .unavailable("who asked has gone"))
        #expect(try await agent.question() == ("withdrawn", first.cookie))
        // By the time.
        async let late = ask(bus, by: process, patience: 5)
        _ = try await agent.question()
        #expect(try await late == .unavailable("nobody has authenticated in time"))
        #expect(try await agent.question().action == "withdrawn")
        try await process.end()
        try await agent.end()
    }

    @Test func polkitThatEndsInTheMiddleIsNoConsent() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(on: bus)
        let session = try polkit.addSession("c6", of: Self.uid)
        let agent = try await AuthenticationAgent(on: bus, in: session)
        let process = try await idle(session)
        async let answer = ask(bus, by: process)
        _ = try await agent.question()
        try polkit.kill()
        #expect(try await answer == .unavailable("polkit ended before it answered; try again"))
        try await process.end()
    }

    @Test func whatIsMissingIsSaid() async throws {
        let bus = try PrivateBus()
        let process = try await idle()
        #expect(try await ask(bus, by: process) == .unavailable("there is no polkit on this machine; install polkitd"))
        let polkit = try PolkitService(on: bus, hasActions: false)
        #expect(
            try await ask(bus, by: process)
                == .unavailable("polkit does not know the action; install the package locationd-agent"))
        withExtendedLifetime(polkit) {}
        try bus.kill()
        guard case .unavailable(let reason) = try await ask(bus, by: process) else {
            Issue.record("an answer")
            return
        }
        #expect(reason.hasPrefix("polkit cannot be asked, because the system bus fails ("))
        try await process.end()
    }

    /// The number of a process that has ended is not asked about as another's: polkit finds none.
    @Test func processThatHasEndedIsNotAuthorized() async throws {
        let bus = try PrivateBus()
        let polkit = try PolkitService(
            on: bus, rules: "polkit.addRule(function () { return polkit.Result.YES; });")
        let process = try await idle()
        let gone = subject(process)
        try await process.end()
        let waker = try #require(Waker())
        let answer = await Polkit(address: bus.address).check(.decideOwn, by: gone, until: waker)
        #expect(answer != .authorized)
        withExtendedLifetime(polkit) {}
    }
}
