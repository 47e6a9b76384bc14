import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Polkit
import ProgramTestSupport
import Testing

/// A denial where nothing is granted, by a user who is none of the machine's own and not logged in, is not persisted:
/// such users can be a range of subordinate uids.
extension UserDecisionTests {
    private static let subordinate: UInt32 = 100_000
    private static let denial = #"{"authorization":"denied"}"#

    private func isWritten(_ table: DecisionTable?) throws -> Bool {
        try DecisionTable(decoding: try #require(table).encoded()).entries[.uid(Self.subordinate)] != nil
    }

    @Test func needlessDenialEndsTheRequestAndIsNotWritten() async throws {
        try await serve(ScriptedGate(.authorized)) { server in
            let asker = try await user(server, uid: Self.subordinate)
            try await asker.send(
                Ask.requestAuthorization, #"{"level":"always","purpose":"a map"}"#, flags: "\"more\":true")
            #expect(try await asker.message().continues)
            #expect(try isWritten(laterTables.values.last))
            let decider = try await user(server, uid: Self.subordinate)
            for _ in 1...3 {
                #expect(try status(await decider.call(Ask.decide, Self.denial)).authorization == .denied)
            }
            let last = try await asker.message()
            #expect(try !last.continues && status(last).authorization == .denied)
            #expect(try requests(await decider.call(Ask.watchRequests)).requests.isEmpty)
            #expect(try await entry(server, of: Self.subordinate)?.authorization == .denied)
            // Nothing waits for the disk, and what is written once more has it no more.
            #expect(try tables.values.isEmpty && !isWritten(laterTables.values.last))
            #expect(records.values.filter { $0.event == .refused && $0.by != nil }.count == 1)
            // It denies nobody else.
            #expect(try status(await user(server).call(Ask.getStatus)).authorization == .notDetermined)
        }
    }

    enum Need: CaseIterable {
        case isLoggedIn, isOfTheMachine, hadAGrant, isPermittedByThePolicy, noLoginManager
    }

    @Test(arguments: Need.allCases) func denialThatIsNeededIsWritten(because need: Need) async throws {
        let uid = need == .isOfTheMachine ? 65_001 : Self.subordinate
        let granted = DecisionEntry(
            decision: Decision(
                .authorizedAlways, by: DecisionEntry.user(uid), time: UTCTime(seconds: 1_700_000_000)))
        let rule = PolicyRule(.uid(uid), .authorizedAlways, origin: "p:3")
        try await serve(
            ScriptedGate(.authorized), rules: need == .isPermittedByThePolicy ? [rule] : [],
            entries: need == .hadAGrant ? [.uid(uid): granted] : [:],
            sessions: FakeLoginSessions(
                active: need == .isLoggedIn ? [uid] : [], isPresent: need != .noLoginManager)
        ) { server in
            #expect(try status(await user(server, uid: uid).call(Ask.decide, Self.denial)).authorization == .denied)
            let table = try DecisionTable(decoding: #require(tables.values.last).encoded())
            #expect(table.entries[.uid(uid)]?.decision?.answer == .denied)
        }
    }

    @Test func denialIsWrittenAfterTheUserHasLoggedIn() async throws {
        let sessions = FakeLoginSessions()
        try await serve(ScriptedGate(.authorized), sessions: sessions) { server in
            let client = try await user(server, uid: Self.subordinate)
            #expect(try await client.call(Ask.decide, Self.denial).error == nil)
            #expect(tables.values.isEmpty)
            sessions.logIn(Self.subordinate)
            #expect(try await client.call(Ask.decide, Self.denial).error == nil)
            #expect(try isWritten(tables.values.last))
        }
    }
}
