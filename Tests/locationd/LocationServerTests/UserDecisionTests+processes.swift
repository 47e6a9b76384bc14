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

/// "This time": decisions about one process.
extension UserDecisionTests {
    private static let invalid = "org.varlink.service.InvalidParameter"
    private static let failed = AdminInterface.Failure.failed

    /// A program that has connected, and does something else when it is nudged.
    private func program(_ server: TestServer, _ deed: String = "stay") async throws -> WireClient {
        let script = """
            import os, socket, sys
            hand = socket.socket(fileno=0)
            def connect():
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[1])
                socket.send_fds(hand, [b"!"], [connection.fileno()])
            connect()
            hand.recv(1)
            if sys.argv[2] == "exec":
                os.execvp("cat", ["cat"])
            if sys.argv[2] == "fork":
                if os.fork() == 0:
                    connect()
            hand.recv(1)
            """
        let assistant = try AssistantProcess(
            AssistantProcess.python(script, [server.locationPath, deed]), uid: Self.uid)
        return server.keep(WireClient(descriptor: try await connection(of: assistant), process: assistant))
    }

    /// A program without a connection of its own.
    private func silentProgram() async throws -> AssistantProcess {
        let program = try AssistantProcess(["cat"], uid: Self.uid)
        try await eventually("it has become the other user's") { name(of: program.id) == "cat" }
        return program
    }

    private func connection(of assistant: AssistantProcess) async throws -> Int32 {
        try #require(try await blocking { try receiveDescriptor(assistant.hand) })
    }

    private func pid(_ client: WireClient) throws -> Int32 { try #require(client.process).id }

    private func grantThisTime(_ pid: Int32, _ more: String = "") -> String {
        #"{"authorization":"authorizedWhenInUse","process":\#(pid)\#(more)}"#
    }

    private func ask(_ client: WireClient, _ name: String = "maps") async throws {
        try await client.send(
            Ask.requestAuthorization, #"{"level":"whenInUse","program":"\#(name)"}"#, flags: "\"more\":true")
        #expect(try await client.message().continues)
    }

    private func authorization(_ client: WireClient, _ named: String = "{}") async throws -> AuthorizationStatus {
        try status(await client.call(Ask.getStatus, named)).authorization
    }

    private func processes(_ server: TestServer) async throws -> [AuthorizationReport] {
        try await server.connect(.control).call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
            .authorizations.filter { $0.process != nil }
    }

    private func awaitEnd(of pid: Int32) async throws {
        try await eventually("the decision ends", records) { records in
            records.contains { $0.event == .ended && $0.process == Int(pid) }
        }
    }

    // MARK: Granting

    @Test(arguments: [false, true]) func oneProcessReceivesAndNoOther(reduced: Bool) async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let (maps, other) = try await (program(server), program(server))
            try await ask(maps)
            try await ask(other, "spy")
            let decider = try await user(server)
            let request = try #require(try requests(await decider.call(Ask.watchRequests)).requests.first)
            #expect(try request.processes == ["maps": Int(pid(maps)), "spy": Int(pid(other))])
            #expect(request.onlyProcess == nil)
            let more = #","number":\#(request.number)"# + (reduced ? #","accuracy":"reduced""# : "")
            let reply = try await decider.call(Ask.decide, grantThisTime(pid(maps), more))
            #expect(try status(reply).authorization == .authorizedWhenInUse)
            #expect(try status(await maps.message()).authorization == .authorizedWhenInUse)
            #expect(gate.questions.values.map(\.action) == [reduced ? .decideOwnProcessRoughly : .decideOwnProcess])
            let report = try #require(try await processes(server).first)
            #expect(try report.process == Int(pid(maps)) && report.program == "maps" && report.connections == 1)
            #expect(report.accuracy == (reduced ? .reduced : .full) && report.principal == "uid:\(Self.uid)")
            let record = try #require(records.values.last { $0.event == .granted })
            #expect(try record.process == Int(pid(maps)) && record.by == "uid:\(Self.uid) (own programs)")
            // The other program goes on waiting, and is known by its process.
            let left = try #require(try requests(await decider.call(Ask.watchRequests)).requests.first)
            #expect(try left.programs == ["spy"] && left.onlyProcess == Int(pid(other)))
            #expect(try await authorization(decider) == .notDetermined)
            let tables = tables.values + laterTables.values
            #expect(tables.allSatisfy { $0.entries.values.allSatisfy { $0.effective == nil } }, "it is in no file")
        }
    }

    @Test func answeredRequestIsForgotten() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server)
            try await ask(maps)
            let decider = try await user(server)
            let request = try #require(try requests(await decider.call(Ask.watchRequests)).requests.first)
            #expect(try request.onlyProcess == Int(pid(maps)))
            #expect(try await decider.call(Ask.decide, grantThisTime(pid(maps))).error == nil)
            #expect(try requests(await decider.call(Ask.watchRequests)).requests.isEmpty)
            #expect(laterTables.values.last?.entries.isEmpty == true)
        }
    }

    @Test func otherConnectionsOfTheProcessHaveItToo() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let clients = try await OtherUserClients.connect(to: server.locationPath, count: 2, uid: Self.uid)
                .map(server.keep)
            let number = try pid(clients[0])
            #expect(try await user(server).call(Ask.decide, grantThisTime(number)).error == nil)
            for client in clients { #expect(try await authorization(client) == .authorizedWhenInUse) }
            #expect(try await processes(server).first?.connections == 2)
            await clients[0].close()
            try await eventually("one has closed") { try await processes(server).first?.connections == 1 }
            let process = clients[1].process
            await clients[1].close()
            try await awaitEnd(of: number)
            withExtendedLifetime(process) {}
        }
    }

    @Test func namesThatSeveralProcessesHaveAreNotOffered() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let (one, other) = try await (program(server), program(server))
            try await ask(one)
            try await ask(other)
            let request = try requests(await user(server).call(Ask.watchRequests)).requests.first
            #expect(request?.programs == ["maps"] && request?.processes == nil)
        }
    }

    // MARK: The end

    @Test func endsWithTheProcess() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server)
            let number = try pid(maps)
            #expect(try await user(server).call(Ask.decide, grantThisTime(number)).error == nil)
            try await #require(maps.process).end()
            try await awaitEnd(of: number)
            #expect(try await processes(server).isEmpty)
            // The connection, which another process holds, is closed.
            _ = try await maps.messagesUntilEnd()
        }
    }

    @Test func endsWhenAnotherProgramRuns() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server, "exec")
            let number = try pid(maps)
            try await maps.send(Ask.watch, flags: "\"more\":true")
            _ = try await maps.message()
            #expect(try await user(server).call(Ask.decide, grantThisTime(number)).error == nil)
            try #require(maps.process).nudge()
            try await awaitEnd(of: number)
            while try await maps.message().parameters(as: WatchReply.self).status?.authorization != .notDetermined {}
        }
    }

    @Test func processThatItStartsHasNothingOfIt() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server, "fork")
            #expect(try await user(server).call(Ask.decide, grantThisTime(pid(maps))).error == nil)
            let assistant = try #require(maps.process)
            try assistant.nudge()
            let child = server.keep(WireClient(descriptor: try await connection(of: assistant), process: assistant))
            #expect(try await authorization(child) == .notDetermined)
            #expect(try await authorization(maps) == .authorizedWhenInUse)
        }
    }

    @Test(arguments: [
        (Ask.decide, #"{"authorization":"denied"}"#, AuthorizationStatus.denied),
        (Ask.decide, #"{"authorization":"authorizedWhenInUse","accuracy":"reduced"}"#, .authorizedWhenInUse),
        (Admin.resetAuthorization, #"{"principal":"uid:\#(uid)"}"#, .notDetermined),
        (Admin.setAuthorization, #"{"principal":"uid:\#(uid)","authorization":"denied"}"#, .denied),
        (
            Admin.setAuthorization,
            #"{"principal":"uid:\#(uid)","authorization":"authorizedAlways","accuracy":"reduced"}"#, .authorizedAlways
        ),
    ])
    func laterDecisionAboutTheUserReplacesIt(
        method: String, parameters: String, status: AuthorizationStatus
    ) async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server)
            let decider = try await user(server)
            #expect(try await decider.call(Ask.decide, grantThisTime(pid(maps))).error == nil)
            let caller = method == Ask.decide ? decider : try server.connect(.control)
            #expect(try await caller.call(method, parameters).error == nil)
            #expect(try await authorization(maps) == status)
            #expect(try await processes(server).isEmpty)
            #expect(try records.values.contains { try $0.event == .ended && $0.process == Int(pid(maps)) })
        }
    }

    // MARK: Narrowing

    @Test func ownGrantIsLeftToOneProcessWithoutPolkit() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let (maps, photos) = try await (program(server), program(server))
            let decider = try await user(server)
            #expect(try await decider.call(Ask.decide, Self.grant).error == nil)
            try await maps.send(Ask.watch, flags: "\"more\":true")
            _ = try await maps.message()
            let reply = try await decider.call(Ask.decide, grantThisTime(pid(maps)))
            #expect(try status(reply).authorization == .authorizedWhenInUse)
            #expect(gate.questions.count == 1, "for the first grant alone")
            #expect(try await authorization(photos) == .notDetermined)
            #expect(try await processes(server).count == 1)
            #expect(try await entry(server)?.process != nil, "nothing is decided about all programs")
            #expect(tables.values.last?.entries[.uid(Self.uid)] == nil, "a restart grants nothing")
            let events = records.values.suffix(2)
            #expect(try events.map(\.process) == [Int(pid(maps)), nil])
            #expect(events.last?.event == .revoked && events.last?.by == "uid:\(Self.uid) (own programs)")
            // The program has it without a gap.
            try server.post(fix: 1)
            var update: WatchReply
            repeat {
                update = try await maps.message().parameters(as: WatchReply.self)
                #expect(update.status?.authorization != .notDetermined)
            } while update.location == nil
        }
    }

    @Test(arguments: [
        (#"{"authorization":"authorizedWhenInUse","accuracy":"reduced"}"#, ""),
        (#"{"authorization":"authorizedWhenInUse"}"#, "always"),
    ])
    func moreThanTheOwnGrantAsksPolkitAndLeavesIt(grant: String, level: String) async throws {
        let gate = ScriptedGate(.authorized)
        let ceiling = UserCeiling(.everyone, .authorizedAlways, origin: "p:1")
        try await serve(gate, ceilings: [ceiling]) { server in
            let (maps, photos) = try await (program(server), program(server))
            let decider = try await user(server)
            #expect(try await decider.call(Ask.decide, grant).error == nil)
            let more = try grantThisTime(pid(maps))
            let parameters = level.isEmpty ? more : more.replacing("authorizedWhenInUse", with: "authorizedAlways")
            #expect(try await decider.call(Ask.decide, parameters).error == nil)
            #expect(gate.questions.count == 2)
            #expect(try await authorization(photos) == .authorizedWhenInUse)
        }
    }

    /// Otherwise a grant for a minute could be had for ever by narrowing it again and again.
    @Test(arguments: [59, 60]) func narrowedGrantEndsWithItsTerm(after seconds: Double) async throws {
        let time = SetTime()
        try await serve(ScriptedGate(.authorized), clock: time.clock) { server in
            let maps = try await program(server)
            let decider = try await user(server)
            let grant = #"{"authorization":"authorizedWhenInUse","duration":60}"#
            #expect(try await decider.call(Ask.decide, grant).error == nil)
            time.set(to: 30)
            #expect(try await decider.call(Ask.decide, grantThisTime(pid(maps), #","duration":3600"#)).error == nil)
            time.set(to: seconds)
            #expect(try await authorization(maps) == (seconds < 60 ? .authorizedWhenInUse : .notDetermined))
        }
    }

    @Test(arguments: [59, 60]) func endsWithItsTerm(after seconds: Double) async throws {
        let time = SetTime()
        try await serve(ScriptedGate(.authorized), clock: time.clock) { server in
            let maps = try await program(server)
            #expect(try await user(server).call(Ask.decide, grantThisTime(pid(maps), #","duration":60"#)).error == nil)
            time.set(to: seconds)
            #expect(try await authorization(maps) == (seconds < 60 ? .authorizedWhenInUse : .notDetermined))
        }
    }

    // MARK: Refusals

    @Test(arguments: ["0", "1", "-1", "2147483648"]) func numbersOfNoProgramAreInvalid(pid: String) async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let reply = try await user(server).call(
                Ask.decide, #"{"authorization":"authorizedWhenInUse","process":\#(pid)}"#)
            #expect(reply.error == Self.invalid && gate.questions.values.isEmpty)
        }
    }

    @Test func denialIsNotAboutOneProcess() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server)
            let reply = try await user(server).call(
                Ask.decide, #"{"authorization":"denied","process":\#(pid(maps))}"#)
            #expect(reply.error == Self.invalid)
        }
    }

    @Test func processesOfOthersAndWithoutConnectionAreRefused() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let stranger = try await user(server, uid: Self.otherUID)
            let silent = try await silentProgram()
            let client = try await user(server)
            for number in try [pid(stranger), silent.id, getpid()] {
                let reply = try await client.call(Ask.decide, grantThisTime(number))
                #expect(reply.error == Self.failed)
                #expect(
                    try reply.explained.reason == "no program of uid:\(Self.uid) with the pid \(number) is connected")
            }
            #expect(gate.questions.values.isEmpty)
            try await silent.end()
        }
    }

    @Test func processThatSeveralUsersShareIsRefused() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let root = try AssistantProcess(
                AssistantProcess.python(
                    """
                    import os, socket, sys
                    hand = socket.socket(fileno=0)
                    for uid in (\(Self.otherUID), \(Self.uid)):
                        os.seteuid(0)
                        os.seteuid(uid)
                        connection = socket.socket(socket.AF_UNIX)
                        connection.connect(sys.argv[1])
                        socket.send_fds(hand, [b"!"], [connection.fileno()])
                    hand.recv(1)
                    """, [server.locationPath]))
            let clients = [try await connection(of: root), try await connection(of: root)]
                .map { server.keep(WireClient(descriptor: $0, process: root)) }
            let reply = try await user(server).call(Ask.decide, grantThisTime(root.id))
            #expect(reply.error == Self.failed)
            #expect(try reply.explained.reason == "the process \(root.id) is connected as several users")
            withExtendedLifetime(clients) {}
        }
    }

    @Test(arguments: ["exec", "end"]) func processThatChangesWhilePolkitAsksIsRefused(deed: String) async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        try await serve(gate) { server in
            let maps = try await program(server, deed)
            let number = try pid(maps)
            let client = try await user(server)
            try await client.send(Ask.decide, grantThisTime(number))
            try await eventually("polkit is asked") { !gate.questions.values.isEmpty }
            let process = try #require(maps.process)
            if deed == "end" {
                try await process.end()
            } else {
                try process.nudge()
                try await eventually("another program runs") { name(of: number) == "cat" }
            }
            answer.yield(.authorized)
            #expect(try await client.message().error == Self.failed)
            #expect(try await processes(server).isEmpty)
        }
    }

    /// What runs in the process when the person answers need not be what asked.
    @Test func otherProgramThanTheOneThatAskedIsRefused() async throws {
        let gate = ScriptedGate(.authorized)
        try await serve(gate) { server in
            let maps = try await program(server, "exec")
            let number = try pid(maps)
            try await ask(maps)
            try #require(maps.process).nudge()
            try await eventually("another program runs") { name(of: number) == "cat" }
            let reply = try await user(server).call(Ask.decide, grantThisTime(number))
            #expect(reply.error == Self.failed && gate.questions.values.isEmpty)
        }
    }

    private func name(of pid: Int32) -> String? {
        guard case .value(let descriptor) = KernelPeerCalls().openProcess(pid) else { return nil }
        return ProgramProcess(pid: pid, descriptor: descriptor).image?.name
    }

    @Test func deniedUserGrantsNoProcess() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server)
            let client = try await user(server)
            #expect(try await client.call(Ask.decide, #"{"authorization":"denied"}"#).error == nil)
            #expect(try await client.call(Ask.decide, grantThisTime(pid(maps))).error == Self.failed)
        }
    }

    // MARK: Administrators and bridges

    @Test func administratorDecidesAboutAProcessToo() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await program(server)
            let control = try server.connect(.control)
            func decide(_ principal: String, _ answer: String = "authorizedAlways") async throws -> Message {
                try await control.call(
                    Admin.setAuthorization,
                    #"{"principal":"\#(principal)","authorization":"\#(answer)","process":\#(pid(maps)),"accuracy":"reduced"}"#
                )
            }
            #expect(try await decide("unit:x.service").error == Self.invalid)
            #expect(try await decide("uid:\(Self.uid)", "denied").error == Self.invalid)
            #expect(try await decide("uid:\(Self.otherUID)").error == Self.failed)
            let change = try await decide("uid:\(Self.uid)").parameters(as: AuthorizationChange.self)
            #expect(change.connections == 1)
            #expect(try await authorization(maps) == .authorizedAlways)
            #expect(try await processes(server).first?.accuracy == .reduced)
            // The user does not replace it.
            let client = try await user(server)
            #expect(try await client.call(Ask.decide, grantThisTime(pid(maps))).error == Failure.notPermitted)
            #expect(try await client.call(Ask.decide, Self.grant).error == nil)
            #expect(try await authorization(maps) == .authorizedAlways)
        }
    }

    @Test func bridgeNamesTheProcessOfItsProgram() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let maps = try await silentProgram()
            func served(_ label: String, _ process: Int32) -> String {
                #"{"onBehalfOf":{"uid":\#(Self.uid),"label":"\#(label)","process":\#(process)}}"#
            }
            let bridge = try server.connect()
            try await bridge.send(Ask.watch, served("maps", maps.id), flags: "\"more\":true")
            _ = try await bridge.message()
            let second = try server.connect()
            try await second.send(Ask.watch, served("spy", getpid()), flags: "\"more\":true")
            _ = try await second.message()
            let asker = try server.connect()
            _ = try await asker.call(
                Ask.requestAuthorization,
                #"{"level":"always","onBehalfOf":{"uid":\#(Self.uid),"label":"maps","process":\#(maps.id)}}"#)
            await asker.close()
            let decider = try await user(server)
            let request = try #require(try requests(await decider.call(Ask.watchRequests)).requests.first)
            #expect(request.programs == ["maps", "spy"])
            #expect(request.processes == ["maps": Int(maps.id)], "the process of another user is not believed")
            #expect(try await decider.call(Ask.decide, grantThisTime(maps.id)).error == nil)
            while try await bridge.message().parameters(as: WatchReply.self).status?.authorization
                != .authorizedWhenInUse
            {}
            #expect(try await decider.call(Ask.decide, grantThisTime(getpid())).error == Self.failed)
            try await maps.end()
            try await awaitEnd(of: maps.id)
            while try await bridge.message().parameters(as: WatchReply.self).status?.authorization != .notDetermined {}
        }
    }

    @Test func endsWithTheBridgeThatServesTheProgram() async throws {
        try await serve(
            ScriptedGate(.authorized),
            rules: [PolicyRule(.uid(Self.otherUID), .ask, mayServeOthers: true, origin: "p:1")]
        ) { server in
            let maps = try await silentProgram()
            let bridge = try await user(server, uid: Self.otherUID)
            let named = #"{"onBehalfOf":{"uid":\#(Self.uid),"label":"maps","process":\#(maps.id)}}"#
            #expect(try await authorization(bridge, named) == .notDetermined)
            #expect(try await user(server).call(Ask.decide, grantThisTime(maps.id)).error == nil)
            let next = try server.connect()
            #expect(try await authorization(next, named) == .authorizedWhenInUse)
            try await #require(bridge.process).end()
            try await awaitEnd(of: maps.id)
            #expect(try await authorization(next, named) == .notDetermined)
            try await maps.end()
        }
    }

    @Test func onlyWhoServesOthersNamesAProcess() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let client = try await user(server)
            let maps = try await program(server)
            let named = #"{"onBehalfOf":{"uid":\#(Self.uid),"label":"maps","process":\#(try pid(maps))}}"#
            #expect(try await client.call(Ask.getStatus, named).error == "org.varlink.service.PermissionDenied")
            let wrong = #"{"onBehalfOf":{"uid":\#(Self.uid),"label":"maps","process":1}}"#
            #expect(try await server.connect().call(Ask.getStatus, wrong).error == Self.invalid)
        }
    }
}
