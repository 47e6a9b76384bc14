import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Polkit
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing
import Varlink

@testable import LocationServer

/// Polkit has so many questions; a person who does not answer keeps nobody waiting.
extension UserDecisionTests {
    /// Users whose agents do not answer.
    private func silentUsers(_ server: TestServer, _ gate: ScriptedGate, _ count: Int) async throws -> [WireClient] {
        var clients: [WireClient] = []
        for number in 0..<count {
            let client = try await user(server, uid: 60_000 + UInt32(number))
            try await client.send(Ask.decide, Self.grant)
            try await eventually("polkit is asked") { gate.questions.count == number + 1 }
            clients.append(client)
        }
        return clients
    }

    @Test func oldestQuestionEndsForANewUser() async throws {
        let gate = ScriptedGate.silent()
        try await serve(gate) { server in
            let clients = try await silentUsers(server, gate, 17)
            let ended = try await clients[0].message()
            #expect(ended.error == Failure.notPermitted)
            #expect(try ended.explained.reason?.hasPrefix("16 other users have had polkit asked since") == true)
            // The others wait.
            let second = try await user(server, uid: 60_001)
            #expect(try await second.call(Ask.decide, Self.grant).error == Failure.tooManyAuthorizations)
            // Who was ended may ask again.
            try await clients[0].send(Ask.decide, Self.grant)
            try await eventually("polkit is asked again") { gate.questions.count == 18 }
            #expect(try await clients[1].message().error == Failure.notPermitted)
        }
    }

    @Test func silentUsersKeepNoAdministratorWaiting() async throws {
        let gate = ScriptedGate.silent(but: [.administer: .authorized])
        try await serve(gate) { server in
            let clients = try await silentUsers(server, gate, 16)
            #expect(try await user(server).call(Admin.stop).error == nil)
            #expect(try await !status(server.connect().call(Ask.getStatus)).enabled)
            let first = try await user(server, uid: 60_000)
            #expect(try await first.call(Ask.decide, Self.grant).error == Failure.tooManyAuthorizations, "it waits")
            withExtendedLifetime(clients) {}
        }
    }
}

/// The table of questions by itself.
struct GateQuestionsTests {
    private func question(_ uid: UInt32, _ action: PolkitAction = .decideOwn) throws -> GateQuestion {
        GateQuestion(action, of: uid, waker: try #require(Waker()))
    }

    @Test func oldestOfAFullTableEnds() throws {
        var questions = GateQuestions()
        let own = try (0..<17).map { try question($0, $0 % 2 == 0 ? .decideOwn : .decideOwnRoughly) }
        for question in own[..<16] { try questions.add(question) }
        #expect(own.allSatisfy { !$0.isDisplaced && !$0.waker.isWoken })
        try questions.add(own[16])
        #expect(own.map(\.isDisplaced) == [true] + Array(repeating: false, count: 16))
        #expect(own[0].waker.isWoken)
    }

    @Test func administratorsAreCountedApart() throws {
        var questions = GateQuestions()
        let all = try (0..<32).map { try question($0, $0 < 16 ? .decideOwn : $0 % 2 == 0 ? .administer : .decide) }
        for question in all { try questions.add(question) }
        #expect(all.allSatisfy { !$0.isDisplaced })
        try questions.add(question(32, .administer))
        #expect(all.map(\.isDisplaced).firstIndex(of: true) == 16)
    }

    @Test func eachUserHasOneQuestion() throws {
        var questions = GateQuestions()
        let first = try question(7)
        try questions.add(first)
        for action in PolkitAction.allCases {
            let failure = #expect(throws: ErrorReply.self) { try questions.add(question(7, action)) }
            #expect(failure?.name == LocationInterface.Failure.tooManyAuthorizations)
        }
        questions.remove(first)
        try questions.add(question(7))
    }

    /// A bus that hangs keeps the threads of questions that have ended.
    @Test func questionsThatPolkitDoesNotLetGoAreLimited() throws {
        var questions = GateQuestions()
        let all = try (0..<32).map { try question($0) }
        for question in all { try questions.add(question) }
        #expect(all.map(\.isDisplaced) == (0..<32).map { $0 < 16 })
        let failure = #expect(throws: ErrorReply.self) { try questions.add(question(32)) }
        #expect(failure?.name == LocationInterface.Failure.notPermitted)
        #expect(!questions.contains(32))
        questions.remove(all[3])
        try questions.add(question(32))
        #expect(all[16].isDisplaced)
    }
}
