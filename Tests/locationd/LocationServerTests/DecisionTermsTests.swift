import Authorization
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import LocationServer

/// The end of terms by clocks that the test sets, at the moments at which the clocks are looked at: no timer fires
/// meanwhile.
@Suite struct DecisionTermsTests {
    private final class Owner: DecisionTermsOwner {
        var ended: [Subject] = []
        func termsEnded(_ ended: [(subject: Subject, decision: Decision)], persisting table: DecisionTable) {
            self.ended += ended.map(\.subject)
        }
    }

    private static let subject = Subject.uid(47_201)
    private static let start = Term.Moment(now: BootInstant(seconds: 5000), utc: UTCTime(seconds: 1_790_000_000))

    /// Restores a decision for 3000 s, and looks at the clocks again at the moments.
    /// - Returns: how many had ended at each moment.
    private func ended(at moments: [(now: Double, utc: Double)]) async throws -> [Int] {
        var table = DecisionTable()
        let decision = Decision(.authorizedAlways, by: "uid:0", time: Self.start.utc)
        table.decide(decision, about: Self.subject, for: Term(duration: 3000, at: Self.start))
        // As a restart finds it.
        let restored = try DecisionTable(decoding: table.encoded())
        let passed = Mutex((now: 0.0, utc: 0.0))
        let clock = ServiceClock(
            now: { Self.start.now.advanced(bySeconds: passed.withLock(\.now)) },
            utc: { Self.start.utc.advanced(bySeconds: passed.withLock(\.utc)) })
        let loop = ServiceLoop()
        let counts = try await loop.run {
            let authority = Authority(policy: .strict, decisions: .known(restored))
            let permissions = Permissions(authority, sessions: FakeLoginSessions(), loop: loop, clock: clock)
            let owner = Owner()
            let terms = DecisionTerms(of: permissions, loop: loop, owner: owner)
            terms.resume()
            defer { terms.cancel() }
            return moments.map { moment in
                passed.withLock { $0 = moment }
                terms.endIfDue()
                return owner.ended.count
            }
        }
        try await loop.shutDown()
        return counts
    }

    @Test func termEndsByTheClockThatNobodySets() async throws {
        #expect(try await ended(at: [(2999, 0), (3000, 0), (4000, 0)]) == [0, 1, 1])
    }

    /// The wall clock that is set forward ends a term that a restart has left, at the next call or fix.
    @Test func termOfBeforeARestartEndsByTheWallClockToo() async throws {
        #expect(try await ended(at: [(1, 2999), (1, 3000)]) == [0, 1])
    }
}
