import Authorization
import Dispatch
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Polkit
import ProgramTestSupport
import ServerDoubles
@_spi(Programs) import SystemSupport
import Testing

/// What changes while polkit is asked, or a directory service for the account's name, counts at the moment of the
/// grant.
extension UserDecisionTests {
    /// A directory service that is asked for names, and answers when the test says so.
    struct SlowDirectory: Sendable {
        let asked = ValueRecorder<UInt32>()
        let answer: AsyncStream<String>.Continuation
        private let names: AsyncStream<String>

        init() { (names, answer) = AsyncStream.makeStream() }

        @Sendable func name(_ uid: UInt32) async -> String? {
            asked.append(uid)
            for await name in names { return name }
            return nil
        }
    }

    /// A client that polkit is asked for, and the gate with what answers it.
    private func asking(
        _ parameters: String = grant, before: String? = nil, clock: ServiceClock = .machine,
        _ body: (TestServer, WireClient, AsyncStream<PolkitAnswer>.Continuation) async throws -> Void
    ) async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        try await serve(gate, clock: clock) { server in
            let client = try await user(server)
            if let before {
                if !before.contains("denied") { answer.yield(.authorized) }
                #expect(try await client.call(Ask.decide, before).error == nil)
            }
            let former = gate.questions.count
            try await client.send(Ask.decide, parameters)
            try await eventually("polkit is asked") { gate.questions.count > former }
            try await body(server, client, answer)
        }
    }

    // MARK: While polkit asks

    @Test func resetWhilePolkitAsksCounts() async throws {
        try await asking(before: #"{"authorization":"denied"}"#) { server, client, answer in
            _ = try await server.connect(.control).call(
                Admin.resetAuthorization, #"{"principal":"uid:\#(Self.uid)"}"#)
            answer.yield(.authorized)
            let reply = try await client.message()
            #expect(reply.error == AdminInterface.Failure.failed)
            #expect(try reply.explained.reason?.hasPrefix("there is a newer decision") == true)
            #expect(try await entry(server)?.decidedBy == nil)
        }
    }

    /// While the machine sleeps no timer ends a term, so it is compared when the answer comes.
    @Test(arguments: [59, 60]) func termThatEndsWhilePolkitAsksCounts(after seconds: Double) async throws {
        let time = SetTime()
        try await asking(before: #"{"authorization":"authorizedWhenInUse","duration":60}"#, clock: time.clock) {
            server, client, answer in
            time.set(to: seconds)
            answer.yield(.authorized)
            let error = try await client.message().error
            #expect(error == (seconds < 60 ? nil : AdminInterface.Failure.failed))
            #expect(try await entry(server)?.decidedBy == (seconds < 60 ? "uid:\(Self.uid) (own programs)" : nil))
        }
    }

    /// Polkit's consent may be on its way already when the question is withdrawn.
    @Test(arguments: [nil, #"{"authorization":"denied"}"#])
    func ownDenialBeforePolkitsConsentCounts(before: String?) async throws {
        try await asking(before: before) { server, client, answer in
            let denial = try await user(server).call(Ask.decide, #"{"authorization":"denied"}"#)
            #expect(denial.error == nil)
            answer.yield(.authorized)
            #expect(try await client.message().error == AdminInterface.Failure.failed)
            #expect(try await entry(server)?.authorization == .denied)
        }
    }

    // MARK: While the account's name is looked up

    @Test func processThatEndsDuringTheLookUpIsGrantedNothing() async throws {
        let directory = SlowDirectory()
        try await serve(ScriptedGate(.authorized), accountName: directory.name) { server in
            let client = try await user(server)
            try await client.send(Ask.decide, Self.grant)
            try await eventually("the account is looked up") { directory.asked.count == 1 }
            try await #require(client.process).end()
            guard case .end = try await client.next() else {
                throw ProgramTestSupport.Failure("the connection stays open")
            }
            directory.answer.yield("anna")
            // Its end waits for the look-up.
            try await server.stop()
            #expect(tables.values.isEmpty && records.values.isEmpty)
        }
    }

    @Test func policyThatChangesDuringTheLookUpCounts() async throws {
        let directory = SlowDirectory()
        try await serve(ScriptedGate(.authorized), accountName: directory.name) { server in
            let client = try await user(server)
            func ask(
                _ method: String, _ parameters: String, _ change: @escaping @Sendable (inout ServerSettings) -> Void
            )
                async throws -> Message
            {
                try await server.server.apply {
                    $0.policy.ceilings = [UserCeiling(.everyone, .authorizedAlways, origin: "p:1")]
                }
                let count = directory.asked.count
                try await client.send(method, parameters)
                try await eventually("the account is looked up") { directory.asked.count > count }
                try await server.server.apply(change)
                directory.answer.yield("anna")
                return try await client.message()
            }
            let withdrawn = try await ask(Ask.decide, Self.grant) { $0.policy.ceilings = [] }
            #expect(withdrawn.error == Failure.notPermitted)
            #expect(try withdrawn.explained.reason?.hasPrefix("the policy does not let you decide") == true)
            let always = #"{"authorization":"authorizedAlways"}"#
            let lowered = try await ask(Ask.decide, always) { $0.policy.ceilings[0].level = .authorizedWhenInUse }
            #expect(try lowered.explained.reason?.hasPrefix("p:1 lets users grant it while") == true)
            let restricted = try await ask(Ask.decide, Self.grant) {
                $0.policy.rules = [PolicyRule(.uid(Self.uid), .restricted, origin: "p:3")]
            }
            #expect(restricted.error == Failure.notPermitted)
            try await server.server.apply { $0.policy.rules = [] }
            // An administrator's password is for what the policy still has.
            let other = #"{"principal":"uid:\#(Self.otherUID)","authorization":"authorizedAlways"}"#
            let gated = try await ask(Admin.setAuthorization, other) { $0.policy.ceilings = [] }
            #expect(gated.error == "org.varlink.service.InterfaceNotFound")
            let ruled = try await ask(Admin.setAuthorization, other) {
                $0.policy.rules = [PolicyRule(.uid(Self.otherUID), .restricted, origin: "p:3")]
            }
            #expect(try ruled.explained.reason?.hasPrefix("p:3 restricts") == true)
            #expect(tables.values.isEmpty)
        }
    }

    /// The name of whom an administrator decides about is looked up before the account's.
    @Test func administratorWhoIsNoneAnyMoreDecidesNothing() async throws {
        let directory = SlowDirectory()
        try await TestServer.run {
            let tables = tables
            $0.hooks.onDecisions = { tables.append($0) }
            $0.hooks.user = { _ in
                _ = await directory.name(Self.otherUID)
                return Self.otherUID
            }
        } _: { server in
            let client = server.keep(
                try #require(await OtherUserClients.connect(to: server.controlPath, groups: [64_001]).first))
            let parameters = #"{"principal":"user:anna","authorization":"denied"}"#
            for isAdministrator in [true, false] {
                try await client.send(Admin.setAuthorization, parameters)
                try await eventually("the name is looked up") { directory.asked.count == (isAdministrator ? 1 : 2) }
                let group: UInt32 = isAdministrator ? 64_001 : 64_002
                try await server.server.apply {
                    $0.policy = AccessPolicy(daemonUID: 64_999, group: group, groupName: "locationd")
                }
                directory.answer.yield("anna")
                let error = try await client.message().error
                #expect(error == (isAdministrator ? nil : "org.varlink.service.PermissionDenied"))
            }
            #expect(tables.values.count == 1)
        }
    }

    // MARK: In one turn of the loop

    /// Says what its jobs have done.
    private final class CountingThreads: TaskExecutor {
        private let queue = DispatchQueue(label: "tasks", attributes: .concurrent)
        let ended = ValueRecorder<Void>()

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedTaskExecutor()
            queue.async { [self] in
                job.runSynchronously(on: executor)
                ended.append(())
            }
        }
    }

    /// The end of a process is told by a thread, whose message may come after an answer that came after the end.
    @Test(arguments: [Ask.decide, Admin.stop])
    func answerInTheTurnOfTheProcessesEndDecidesNothing(method: String) async throws {
        let (gate, answer) = ScriptedGate.answeredLater()
        let threads = CountingThreads()
        try await serve(gate, threads: threads) { server in
            let client = try await user(server)
            try await client.send(method, method == Ask.decide ? Self.grant : "{}")
            try await eventually("polkit is asked") { gate.questions.count == 1 }
            let (held, release) = (ValueRecorder<Void>(), DispatchSemaphore(value: 0))
            async let hold: Void = server.server.apply { _ in
                held.append(())
                release.wait()
            }
            try await eventually("the loop is held") { held.count == 1 }
            let count = threads.ended.count
            answer.yield(.authorized)
            try await eventually("the answer waits for the loop") { threads.ended.count > count }
            try await #require(client.process).end()
            release.signal()
            try await hold
            guard case .end = try await client.next() else {
                throw ProgramTestSupport.Failure("the connection stays open")
            }
            #expect(try status(await server.connect().call(Ask.getStatus)).enabled)
            try await server.stop()
            #expect(tables.values.isEmpty && records.values.isEmpty)
        }
    }
}
