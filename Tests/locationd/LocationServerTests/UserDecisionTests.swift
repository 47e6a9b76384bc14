import Authorization
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Polkit
import ProgramTestSupport
import ServerDoubles
@_spi(Programs) import SystemSupport
import Testing

/// Users see their own programs' requests, and decide about them within the policy's ceiling, if polkit agrees.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct UserDecisionTests {
    typealias Ask = LocationInterface.Method
    typealias Admin = AdminInterface.Method
    typealias Failure = LocationInterface.Failure

    static let uid = OtherUserClients.uid
    static let otherUID: UInt32 = 65_532
    static let grant = #"{"authorization":"authorizedWhenInUse"}"#

    let records = ValueRecorder<AuditRecord>()
    let tables = ValueRecorder<DecisionTable>()
    /// Those that may be written later.
    let laterTables = ValueRecorder<DecisionTable>()

    /// A server whose policy lets users decide, with a gate.
    func serve(
        _ gate: ScriptedGate?, ceilings: [UserCeiling] = [UserCeiling(.everyone, .authorizedWhenInUse, origin: "p:1")],
        rules: [PolicyRule] = [], entries: [Subject: DecisionEntry] = [:],
        sessions: FakeLoginSessions = FakeLoginSessions(active: [uid]), threads: (any TaskExecutor)? = nil,
        clock: ServiceClock = .machine,
        accountName: @escaping @Sendable (UInt32) async -> String? = { _ in nil },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            {
                $0.settings.policy.ceilings = ceilings
                $0.settings.policy.rules = rules
                $0.sessions = sessions
                $0.decisions = .known(DecisionTable(entries: entries))
                $0.clock = clock
                $0.hooks.gate = gate
                $0.hooks.tasks = threads
                $0.hooks.lookUps = threads
                $0.hooks.accountName = accountName
                let (records, tables, laterTables) = (records, tables, laterTables)
                $0.hooks.onRecord = { records.append($0) }
                $0.hooks.onDecisions = { tables.append($0) }
                $0.hooks.onDecisionsSoon = { laterTables.append($0) }
            }, body)
    }

    func user(_ server: TestServer, uid: UInt32 = uid) async throws -> WireClient {
        server.keep(try #require(await OtherUserClients.connect(to: server.locationPath, uid: uid).first))
    }

    func requests(_ message: Message) throws -> RequestsReply { try message.parameters(as: RequestsReply.self) }

    func status(_ message: Message) throws -> ServiceStatus {
        try message.parameters(as: StatusReply.self).status
    }

    /// Whether anything is decided about the user.
    func entry(_ server: TestServer, of uid: UInt32 = uid) async throws -> AuthorizationReport? {
        try await server.connect(.control).call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
            .authorizations.first { $0.principal == "uid:\(uid)" }
    }

    // MARK: Seeing

    @Test func userSeesItsOwnRequestAndNobodyElseDoes() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            let opening = try await watcher.message()
            #expect(try opening.continues && requests(opening).requests.isEmpty)
            #expect(
                try requests(opening).ceiling == DecisionCeiling(authorization: .authorizedWhenInUse, accuracy: .full))
            let asker = try await user(server)
            try await asker.send(
                Ask.requestAuthorization,
                #"{"level":"always","purpose":"the <b>bus</b>\u202estop\n","program":"maps\u0007"}"#,
                flags: "\"more\":true")
            let request = try #require(try requests(await watcher.message()).requests.first)
            #expect(request.level == .always && request.fullAccuracy == nil)
            #expect(request.purpose == #"the <b>bus</b>\u{202e}stop\u{a}"# && request.programs == [#"maps\u{7}"#])
            #expect(request.number > 1_700_000_000_000)

            let other = try await user(server, uid: Self.otherUID)
            let seen = try requests(await other.call(Ask.watchRequests))
            #expect(seen.requests.isEmpty && seen.followed == false)
            let again = try requests(await user(server).call(Ask.watchRequests))
            #expect(again.requests == [request] && again.followed == true)
        }
    }

    @Test func eachProgramThatWaitsIsNamedWithItsOwnPurpose() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            _ = try await watcher.message()
            func ask(_ parameters: String) async throws -> PendingAuthorization {
                let asker = try await user(server)
                try await asker.send(Ask.requestAuthorization, parameters, flags: "\"more\":true")
                return try #require(try requests(await watcher.message()).requests.first)
            }
            let first = try await ask(#"{"level":"always","purpose":"the way","program":"maps"}"#)
            #expect(first.waiting == [WaitingProgram(name: "maps", purpose: "the way")])
            let second = try await ask(#"{"level":"always","program":"photos"}"#)
            #expect(second.waiting == (first.waiting ?? []) + [WaitingProgram(name: "photos")])
            #expect(second.number == first.number, "a program without a purpose joins the request")
            let third = try await ask(#"{"level":"always","program":"a","purpose":"another"}"#)
            #expect(third.waiting?.first == WaitingProgram(name: "a", purpose: "another"))
            #expect(third.number != first.number && third.programs == ["a", "maps", "photos"])
            var last = third
            for name in ["x", "y", "z"] { last = try await ask(#"{"level":"always","program":"\#(name)"}"#) }
            #expect(last.programs == ["a", "photos", "x", "y", "z"], "of more than can be named the newest are")
        }
    }

    @Test func requestIsWithdrawnWhenAnAdministratorDecides() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let asker = try await user(server)
            _ = try await asker.call(Ask.requestAuthorization, #"{"level":"always"}"#)
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            #expect(try requests(await watcher.message()).requests.count == 1)
            _ = try await server.connect(.control).call(
                Admin.setAuthorization, #"{"principal":"uid:\#(Self.uid)","authorization":"denied"}"#)
            let reply = try requests(await watcher.message())
            #expect(reply.requests.isEmpty)
            #expect(reply.ceiling == nil, "where an administrator has decided, the user decides nothing")
        }
    }

    /// Otherwise what was put off would stay so, because programs that run request it again at once.
    @Test func resetIsToldBeforeTheNextRequest() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            _ = try await watcher.message()
            let asker = try await user(server)
            func ask() async throws { _ = try await asker.call(Ask.requestAuthorization, #"{"level":"always"}"#) }
            try await ask()
            let first = try #require(try requests(await watcher.message()).requests.first)
            _ = try await server.connect(.control).call(
                Admin.resetAuthorization, #"{"principal":"uid:\#(Self.uid)"}"#)
            try await ask()
            #expect(try requests(await watcher.message()).requests.isEmpty)
            let second = try #require(try requests(await watcher.message()).requests.first)
            #expect(second.number > first.number)
        }
    }

    @Test func pageIsNamedOnlyWhereNoProgramWaits() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            func ask(_ label: String) async throws -> PendingAuthorization? {
                let service = try server.connect()
                try await service.send(
                    Ask.requestAuthorization,
                    #"{"level":"always","onBehalfOf":{"uid":\#(Self.uid),"label":"\#(label)"}}"#,
                    flags: "\"more\":true")
                _ = try await service.message()
                return try requests(await user(server).call(Ask.watchRequests)).requests.first
            }
            #expect(try await ask("web page")?.waiting?.map(\.name) == ["web page"])
            let part = "GeoClue: gnome-color-panel"
            #expect(try await ask(part)?.waiting?.map(\.name) == [part, "web page"])
            let both = try await ask("GeoClue: org.gnome.Maps")
            #expect(both?.waiting?.map(\.name) == [part, "GeoClue: org.gnome.Maps"])
            // No program becomes a page by what it calls itself.
            let liar = try await user(server)
            try await liar.send(
                Ask.requestAuthorization, #"{"level":"always","program":"web page"}"#, flags: "\"more\":true")
            _ = try await liar.message()
            #expect(
                try requests(await user(server).call(Ask.watchRequests)).requests.first?.programs
                    == [part, "GeoClue: org.gnome.Maps", "web page"])
        }
    }

    @Test func changesAreToldAtMostOnceASecond() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            _ = try await watcher.message()
            let asker = try await user(server)
            let began = ContinuousClock.now
            for number in 1...60 {
                _ = try await asker.call(Ask.requestAuthorization, #"{"level":"always","purpose":"\#(number)"}"#)
            }
            var count = 0
            while true {
                let reply = try requests(await watcher.message())
                count += 1
                if reply.requests.first?.purpose == "60" { break }
            }
            #expect(Double(count) <= 2 + (ContinuousClock.now - began) / .seconds(1))
        }
    }

    @Test func firstUseOfADayIsTold() async throws {
        let granted = DecisionEntry(
            decision: Decision(.authorizedAlways, by: "uid:0", time: UTCTime(seconds: 1_700_000_000)))
        try await serve(ScriptedGate(.authorized), entries: [.uid(Self.uid): granted]) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            #expect(try requests(await watcher.message()).firstUse == nil)
            let program = try await user(server)
            try await program.send(Ask.watch, #"{"purpose":"a map"}"#, flags: "\"more\":true")
            _ = try await program.message()
            try server.post(fix: 1)
            #expect(try requests(await watcher.message()).firstUse?.program == "a map")
            // Others' are not this user's business.
            let other = try await user(server, uid: Self.otherUID)
            try await other.send(Ask.watchRequests, flags: "\"more\":true")
            #expect(try requests(await other.message()).firstUse == nil)
            // Whoever follows the requests later is told, too; nobody is after all have left.
            let second = try await user(server)
            try await second.send(Ask.watchRequests, flags: "\"more\":true")
            #expect(try requests(await second.message()).firstUse?.program == "a map")
        }
    }

    @Test func lastReplyComesWithTheEndOfTheService() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            #expect(try await watcher.message().continues)
            try await server.stop()
            #expect(try await !watcher.message().continues)
        }
    }

    // MARK: Deciding

    @Test func decisionReachesWhoWaitsAndIsRecorded() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let asker = try await user(server)
            try await asker.send(Ask.requestAuthorization, #"{"level":"whenInUse"}"#, flags: "\"more\":true")
            #expect(try await asker.message().continues)
            let decider = try await user(server)
            let number = try #require(try requests(await decider.call(Ask.watchRequests)).requests.first).number
            let reply = try await decider.call(
                Ask.decide, #"{"number":\#(number),"authorization":"authorizedWhenInUse","duration":60}"#)
            #expect(try status(reply).authorization == .authorizedWhenInUse)
            #expect(try status(await asker.message()).authorization == .authorizedWhenInUse)
            let question = try #require(gate.questions.values.first)
            #expect(question.action == .decideOwn && question.subject.uid == Self.uid)
            #expect(question.subject.pid == decider.process?.id)
            let decision = try #require(tables.values.last?.entries[.uid(Self.uid)]?.temporary?.decision)
            #expect(decision.answer == .authorizedWhenInUse && decision.by == "uid:\(Self.uid) (own programs)")
            let record = try #require(records.values.last { $0.event == .granted })
            #expect(
                record.by == "uid:\(Self.uid) (own programs)" && record.principal == "uid:\(Self.uid)"
                    && record.duration == 60)
            #expect(try requests(await decider.call(Ask.watchRequests)).requests.isEmpty)
        }
    }

    @Test func userTakesBackWhatItGranted() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let client = try await user(server)
            #expect(try status(await client.call(Ask.decide, Self.grant)).authorization == .authorizedWhenInUse)
            let denial = try await client.call(Ask.decide, #"{"authorization":"denied"}"#)
            #expect(try status(denial).authorization == .denied)
            let reason = try #require(try status(denial).reason)
            #expect(reason.hasPrefix("its user denied it") && reason.contains("`locctl authorize me --when-in-use`"))
            #expect(try status(await client.call(Ask.decide, Self.grant)).authorization == .authorizedWhenInUse)
        }
    }

    @Test(arguments: [PolkitAnswer.refused("no seat"), .unavailable("no polkit")])
    func withoutPolkitsConsentNothingIsDecided(answer: PolkitAnswer) async throws {
        try await serve(ScriptedGate(answer)) { server in
            let reply = try await user(server).call(Ask.decide, Self.grant)
            #expect(reply.error == Failure.notPermitted)
            #expect(try ["no seat", "no polkit"].contains(reply.explained.reason))
            #expect(try await entry(server) == nil && tables.values.isEmpty)
        }
    }

    @Test(arguments: [
        #"{"authorization":"authorizedAlways"}"#, #"{"authorization":"authorizedWhenInUse"}"#,
        #"{"authorization":"authorizedWhenInUse","accuracy":"reduced"}"#,
        #"{"authorization":"authorizedWhenInUse","accuracy":"reduced","duration":61}"#,
    ])
    func whatExceedsTheCeilingIsRefusedBeforePolkitIsAsked(parameters: String) async throws {
        let gate = ScriptedGate(.authorized)
        let ceiling = UserCeiling(.everyone, .authorizedWhenInUse, accuracy: .reduced, longest: 60, origin: "p:1")
        try await serve(gate, ceilings: [ceiling]) { server in
            let reply = try await user(server).call(Ask.decide, parameters)
            #expect(reply.error == Failure.notPermitted && gate.questions.values.isEmpty)
            #expect(try reply.explained.reason?.hasPrefix("p:1 lets users grant") == true)
            let allowed = #"{"authorization":"authorizedWhenInUse","accuracy":"reduced","duration":60}"#
            #expect(try await user(server).call(Ask.decide, allowed).error == nil)
        }
    }

    @Test func withoutTheTableNobodyIsAskedAnything() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate, ceilings: []) { server in
            let client = try await user(server)
            let reply = try await client.call(Ask.decide, Self.grant)
            #expect(reply.error == Failure.notPermitted)
            #expect(try reply.explained.reason?.contains("sudo locctl authorize uid:\(Self.uid)") == true)
            #expect(try requests(await client.call(Ask.watchRequests)).ceiling == nil)
            #expect(try await client.call(Admin.stop).error == "org.varlink.service.InterfaceNotFound")
            #expect(gate.questions.values.isEmpty)
        }
    }

    @Test func administratorsDecisionStands() async throws {
        let gate = ScriptedGate(.authorized)
        let decided = DecisionEntry(
            decision: Decision(.denied, by: "uid:0", time: UTCTime(seconds: 1_700_000_000)))
        try await serve(gate, entries: [.uid(Self.uid): decided]) { server in
            for parameters in [Self.grant, #"{"authorization":"denied"}"#] {
                let reply = try await user(server).call(Ask.decide, parameters)
                #expect(reply.error == Failure.notPermitted)
                #expect(try reply.explained.reason?.hasPrefix("an administrator has decided") == true)
            }
            #expect(gate.questions.values.isEmpty && tables.values.isEmpty)
        }
    }

    @Test func whatChangesWhilePolkitAsksCounts() async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        try await serve(gate) { server in
            let control = try server.connect(.control)
            let client = try await user(server)
            _ = try await client.call(Ask.requestAuthorization, #"{"level":"whenInUse"}"#)
            let number = try #require(try requests(await client.call(Ask.watchRequests)).requests.first).number
            func begin(_ count: Int) async throws {
                try await client.send(Ask.decide, #"{"number":\#(number),"authorization":"authorizedWhenInUse"}"#)
                try await eventually("polkit is asked") { gate.questions.values.count == count }
            }
            // Another program of the user has asked for more.
            try await begin(1)
            _ = try await user(server).call(Ask.requestAuthorization, #"{"level":"always"}"#)
            answer.yield(.authorized)
            let changed = try await client.message()
            #expect(changed.error == Failure.noSuchRequest)
            #expect(try changed.parameters(as: RequestNumber.self).number == number)
            // An administrator has denied it.
            try await client.send(Ask.decide, Self.grant)
            try await eventually("polkit is asked") { gate.questions.values.count == 2 }
            _ = try await control.call(
                Admin.setAuthorization, #"{"principal":"uid:\#(Self.uid)","authorization":"denied"}"#)
            answer.yield(.authorized)
            #expect(try await client.message().error == Failure.notPermitted)
            #expect(try await entry(server)?.authorization == .denied)
            // The policy lets users decide no more.
            _ = try await control.call(Admin.resetAuthorization, #"{"principal":"uid:\#(Self.uid)"}"#)
            try await client.send(Ask.decide, Self.grant)
            try await eventually("polkit is asked") { gate.questions.values.count == 3 }
            try await server.server.apply { $0.policy.ceilings = [] }
            answer.yield(.authorized)
            #expect(try await client.message().error == Failure.notPermitted)
            #expect(try await entry(server)?.decidedBy == nil)
        }
    }

    @Test func answerForAProcessThatHasEndedDecidesNothing() async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        try await serve(gate) { server in
            let client = try await user(server)
            try await client.send(Ask.decide, Self.grant)
            try await eventually("polkit is asked") { !gate.questions.values.isEmpty }
            try await #require(client.process).end()
            answer.yield(.authorized)
            guard case .end = try await client.next() else {
                throw ProgramTestSupport.Failure("the connection stays open")
            }
            #expect(try await entry(server) == nil && tables.values.isEmpty)
        }
    }

    @Test func questionIsWithdrawnWithItsClientAndOthersWait() async throws {
        let gate = ScriptedGate.silent()
        try await serve(gate) { server in
            let first = try await user(server)
            try await first.send(Ask.decide, Self.grant)
            try await eventually("polkit is asked") { !gate.questions.values.isEmpty }
            let second = try await user(server)
            let refused = try await second.call(Ask.decide, Self.grant)
            #expect(refused.error == Failure.tooManyAuthorizations)
            await first.close()
            // The next question gets through when the first is withdrawn.
            try await eventually("the question is withdrawn") {
                if gate.questions.values.count == 1 {
                    try await second.send(Ask.decide, Self.grant)
                    _ = try await second.next(within: 0.2)
                }
                return gate.questions.values.count == 2
            }
        }
    }

    /// Polkit judges processes, and who sits at a page is none.
    @Test func serviceGrantsItsUsersNothingAndPassesADenialOn() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let program = #""onBehalfOf":{"uid":\#(Self.uid),"label":"pages"}"#
            let bridge = try server.connect()
            let seen = try requests(await bridge.call(Ask.watchRequests, "{\(program)}"))
            #expect(seen.ceiling != nil && seen.requests.isEmpty)
            let grant = try await bridge.call(Ask.decide, #"{"authorization":"authorizedWhenInUse",\#(program)}"#)
            #expect(grant.error == Failure.notPermitted && tables.values.isEmpty)
            // Without a request there is nothing to deny.
            let early = try await bridge.call(Ask.decide, #"{"authorization":"denied",\#(program)}"#)
            #expect(early.error == Failure.notPermitted && tables.values.isEmpty)
            _ = try await user(server).call(Ask.requestAuthorization, #"{"level":"always"}"#)
            let number = try #require(try requests(await bridge.call(Ask.watchRequests, "{\(program)}")).requests.first)
                .number
            let denial = try await bridge.call(
                Ask.decide, #"{"authorization":"denied","number":\#(number),\#(program)}"#)
            #expect(try status(denial).authorization == .denied)
            #expect(try await entry(server)?.decidedBy == "uid:\(Self.uid) (own programs)")
            #expect(gate.questions.values.isEmpty)
        }
    }

    /// A service has nothing of the rights of those whom it serves, root's and administrators' included: an
    /// administrator could answer its own request in place of the former decision.
    @Test(arguments: [false, true]) func serviceDecidesNothingAsAnAdministrator(usersDecide: Bool) async throws {
        let ceilings = usersDecide ? [UserCeiling(.everyone, .authorizedWhenInUse, origin: "p:1")] : []
        let former = UTCTime(seconds: 1_700_000_000)
        let reduced = DecisionEntry(
            request: AuthorizationRequest(
                .always, purpose: nil, fullAccuracy: true, time: former.advanced(bySeconds: 1)),
            decision: Decision(.authorizedAlways, accuracy: .reduced, by: "uid:7", time: former))
        try await serve(ScriptedGate(.authorized), ceilings: ceilings, entries: [.uid(0): reduced]) { server in
            let bridge = try server.connect()
            let program = #""onBehalfOf":{"uid":0,"label":"pages"}"#
            let number = former.advanced(bySeconds: 1).seconds * 1000
            for parameters in ["", #""number":1,"#, #""number":\#(number),"#] {
                let reply = try await bridge.call(Ask.decide, #"{\#(parameters)"authorization":"denied",\#(program)}"#)
                #expect(reply.error == (parameters.contains("1,") ? Failure.noSuchRequest : Failure.notPermitted))
            }
            #expect(tables.values.isEmpty && laterTables.values.isEmpty)
            #expect(try await entry(server, of: 0)?.accuracy == .reduced)
        }
    }

    /// A dialog of polkit always means that something is granted; which accuracy, its action says.
    @Test func denialAsksNobody() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let client = try await user(server)
            for _ in 1...3 {
                #expect(try await client.call(Ask.decide, #"{"authorization":"denied"}"#).error == nil)
            }
            #expect(gate.questions.values.isEmpty)
            // Each time the disk is asked to have it, which it does without writing if nothing has changed.
            #expect(tables.values.count == 3 && Set(tables.values.map(\.revision)).count == 1)
            let roughly = #"{"authorization":"authorizedWhenInUse","accuracy":"reduced"}"#
            #expect(try await client.call(Ask.decide, roughly).error == nil)
            #expect(gate.questions.values.map(\.action) == [.decideOwnRoughly])
        }
    }

    /// A grant that is asked for first does not come after a denial, also if that changes nothing.
    @Test func denialWithdrawsTheGrantThatWaits() async throws {
        let gate = ScriptedGate.silent()
        try await serve(gate) { server in
            let client = try await user(server)
            _ = try await client.call(Ask.decide, #"{"authorization":"denied"}"#)
            let other = try await user(server)
            try await other.send(Ask.decide, Self.grant)
            try await eventually("polkit is asked") { !gate.questions.values.isEmpty }
            #expect(try status(await client.call(Ask.decide, #"{"authorization":"denied"}"#)).authorization == .denied)
            #expect(try await other.message().error == Failure.notPermitted)
            #expect(try status(await client.call(Ask.getStatus)).authorization == .denied)
        }
    }

    @Test func denialComesBeforeAGrantWhoseAccountIsLookedUp() async throws {
        let (names, name) = AsyncStream<String>.makeStream()
        let asked = ValueRecorder<UInt32>()
        try await serve(
            ScriptedGate(.authorized),
            accountName: { uid in
                asked.append(uid)
                for await name in names { return name }
                return nil
            }
        ) { server in
            let client = try await user(server)
            #expect(try await client.call(Ask.decide, #"{"authorization":"denied"}"#).error == nil)
            let other = try await user(server)
            try await other.send(Ask.decide, Self.grant)
            try await eventually("the account is looked up") { !asked.values.isEmpty }
            #expect(try await client.call(Ask.decide, #"{"authorization":"denied"}"#).error == nil)
            name.yield("anna")
            #expect(try await other.message().error == AdminInterface.Failure.failed)
            #expect(try status(await client.call(Ask.getStatus)).authorization == .denied)
        }
    }

    @Test func denialLeavesAQuestionAboutSomethingElse() async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        try await serve(gate) { server in
            let other = try await user(server)
            try await other.send(Admin.stop)
            try await eventually("polkit is asked") { !gate.questions.values.isEmpty }
            #expect(try await user(server).call(Ask.decide, #"{"authorization":"denied"}"#).error == nil)
            answer.yield(.authorized)
            #expect(try await other.message().error == nil)
        }
    }

    /// Who gives an administrator's password decides as one, about itself too.
    @Test func administratorsPasswordIsNoOwnDecision() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let client = try await user(server)
            let denial = try await client.call(
                Admin.setAuthorization, #"{"principal":"uid:\#(Self.uid)","authorization":"denied"}"#)
            #expect(denial.error == nil)
            #expect(try await client.call(Ask.decide, Self.grant).error == Failure.notPermitted)
            #expect(try requests(await client.call(Ask.watchRequests)).ceiling == nil)
        }
    }

    @Test func whatOnlyAnAdministratorMayGrantIsNotAskedOfTheUser() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let client = try await user(server)
            #expect(try await client.call(Ask.decide, Self.grant).error == nil)
            let asked = try await client.call(Ask.requestAuthorization, #"{"level":"always"}"#)
            #expect(try status(asked).authorizationPending)
            #expect(try requests(await client.call(Ask.watchRequests)).requests.isEmpty)
        }
    }

    @Test func programsAreThoseThatWait() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let watcher = try await user(server)
            try await watcher.send(Ask.watchRequests, flags: "\"more\":true")
            _ = try await watcher.message()
            func ask(_ name: String) async throws -> WireClient {
                let client = try await user(server)
                _ = try await client.call(Ask.requestAuthorization, #"{"level":"always","program":"\#(name)"}"#)
                return client
            }
            func programs() async throws -> [String] {
                try requests(await watcher.message()).requests.flatMap(\.programs)
            }
            let maps = try await ask("maps")
            #expect(try await programs() == ["maps"])
            await maps.close()
            #expect(try await programs() == [])
            _ = try await ask("spy")
            #expect(try await programs() == ["spy"])
        }
    }

    @Test func programsOfOthersAreNotTold() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            func ask(_ uid: UInt32, _ name: String) async throws -> WireClient {
                let client = try await user(server, uid: uid)
                _ = try await client.call(Ask.requestAuthorization, #"{"level":"always","program":"\#(name)"}"#)
                return client
            }
            let (own, other) = try await (ask(Self.uid, "maps"), ask(Self.otherUID, "spy"))
            for (uid, name) in [(Self.uid, "maps"), (Self.otherUID, "spy")] {
                let seen = try requests(await user(server, uid: uid).call(Ask.watchRequests)).requests
                #expect(seen.map(\.programs) == [[name]])
            }
            withExtendedLifetime((own, other)) {}
        }
    }

    @Test func watchersOfOneUserAreLimited() async throws {
        try await TestServer.run {
            $0.settings.limits.authorizationsPerUser = 2
        } _: { server in
            func watch(_ client: WireClient) async throws -> Message {
                try await client.send(Ask.watchRequests, flags: "\"more\":true")
                return try await client.message()
            }
            let first = try await user(server)
            #expect(try await watch(first).continues)
            #expect(try await watch(user(server)).continues)
            let refused = try await watch(user(server))
            #expect(refused.error == Failure.tooManyAuthorizations)
            #expect(try refused.parameters(as: LocationFailure.TooMany.self).limit == 2)
            #expect(try await watch(user(server, uid: Self.otherUID)).continues)
            for _ in 1...3 { #expect(try await watch(server.connect()).continues, "root is exempt") }
            await first.close()
            try await eventually("there is room for a new one") { try await watch(user(server)).continues }
        }
    }

    // MARK: Administering

    @Test func policyThatChangesWhilePolkitAsksCountsForAdministratorsToo() async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        try await serve(gate) { server in
            let client = try await user(server)
            try await client.send(Admin.stop)
            try await eventually("polkit is asked") { !gate.questions.values.isEmpty }
            try await server.server.apply { $0.policy.ceilings = [] }
            answer.yield(.authorized)
            #expect(try await client.message().error == "org.varlink.service.InterfaceNotFound")
            #expect(try status(await server.connect().call(Ask.getStatus)).enabled)
        }
    }

    /// A service that has lost its right does not administer as itself by mistake.
    @Test func callOnBehalfOfOthersIsNotGated() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let client = try await user(server)
            for parameters in [#"{"token":"x"}"#, #"{"onBehalfOf":{"uid":7,"label":"pages"}}"#] {
                #expect(try await client.call(Admin.stop, parameters).error == "org.varlink.service.InterfaceNotFound")
            }
            #expect(gate.questions.values.isEmpty)
        }
    }

    @Test func administratorsMethodsAreServedWithPolkitsConsent() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let client = try await user(server)
            let decision = try await client.call(
                Admin.setAuthorization, #"{"principal":"uid:\#(Self.otherUID)","authorization":"authorizedAlways"}"#)
            #expect(decision.error == nil)
            #expect(tables.values.last?.entries[.uid(Self.otherUID)]?.decision?.by == "uid:\(Self.uid) (polkit)")
            let list = try await client.call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
            #expect(list.authorizations.count == 1)
            #expect(try await client.call(Admin.stop).error == nil)
            #expect(try status(await client.call(Ask.getStatus)).enabled == false)
            #expect(gate.questions.values.map(\.action) == [.decide, .decide, .administer])
            // Other methods are the control socket's alone.
            #expect(try await client.call(Admin.listClients).error == "org.varlink.service.InterfaceNotFound")
            #expect(gate.questions.values.count == 3)
        }
    }

    @Test func administratorsMethodsAreRefusedWithoutIt() async throws {
        let rule = PolicyRule(.uid(Self.otherUID), .restricted, origin: "p:3")
        try await serve(ScriptedGate(.refused("wrong password")), rules: [rule]) { server in
            let reply = try await user(server).call(Admin.stop)
            #expect(reply.error == Failure.notPermitted)
            #expect(try reply.explained.reason == "wrong password")
            let restricted = try await user(server, uid: Self.otherUID).call(Admin.stop)
            #expect(restricted.error == "org.varlink.service.PermissionDenied")
            #expect(try status(await server.connect().call(Ask.getStatus)).enabled)
        }
    }
}
