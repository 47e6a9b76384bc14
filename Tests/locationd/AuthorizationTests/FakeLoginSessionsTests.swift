import Authorization
import ProgramTestSupport
import Testing

/// The stand-in for login sessions keeps the promises of the real ones.
@Suite struct FakeLoginSessionsTests {
    private let bell = Bell()

    @Test func changesAreTold() throws {
        let sessions = FakeLoginSessions(active: [7])
        let observation = try #require(sessions.observe { bell.ring() })
        #expect(sessions.isActive(7))
        sessions.logOut(7)
        #expect(bell.count == 1)
        #expect(!sessions.isActive(7))
        sessions.logIn(8)
        #expect(bell.count == 2)
        #expect(sessions.isActive(8))
        observation.cancel()
        sessions.logOut(8)
        #expect(bell.count == 2)
    }

    @Test func anObservationEndsWithItsOwner() {
        let sessions = FakeLoginSessions()
        var observation = sessions.observe { bell.ring() }
        #expect(observation != nil)
        #expect(sessions.observers == 1)
        observation = nil
        #expect(sessions.observers == 0)
        sessions.logIn(7)
        #expect(bell.count == 0)
    }

    @Test func withoutLoginManagerNobodyIsActive() {
        let sessions = FakeLoginSessions(active: [7], isPresent: false)
        #expect(!sessions.isPresent)
        #expect(!sessions.isActive(7))
        #expect(sessions.observe {} == nil)
        sessions.arrive()
        #expect(sessions.isPresent)
        #expect(sessions.isActive(7))
        #expect(sessions.observe {} != nil)
    }
}
