import Authorization
import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceServer
@_spi(Programs) import SystemSupport
import Testing

@testable import LocationServer

/// What a permission while in use hears of login sessions. What the login manager reports runs on the event loop, in
/// order: so nothing is waited for.
@Suite struct PermissionsTests {
    private static let uid: UInt32 = 47_101

    private final class Owner: PermissionOwner {
        let hasReducedLocations = true
        private let report: () -> Void

        init(_ report: @escaping () -> Void) { self.report = report }

        func sessionsChanged() { report() }
    }

    /// A permission service on its event loop, and how often it has said that sessions have changed.
    private struct Bench: Sendable {
        let loop = ServiceLoop()
        let changes = ValueRecorder<Bool>()
        let service: LoopBound<Permissions>
        let owner: LoopBound<Owner>

        init(_ sessions: FakeLoginSessions) async throws {
            var table = DecisionTable()
            table.decide(Decision(.authorizedWhenInUse, by: "uid:0", time: UTCTime(seconds: 0)), about: .uid(uid))
            let authority = Authority(policy: .strict, decisions: .known(table))
            let (loop, changes) = (loop, changes)
            (service, owner) = try await loop.run {
                let service = Permissions(authority, sessions: sessions, loop: loop, clock: .machine)
                return (loop.bind(service), loop.bind(Owner { changes.append(sessions.isActive(uid)) }))
            }
        }

        func permission() async throws -> Permission {
            let (service, owner) = (service, owner)
            return try await loop.run {
                service.value.permission(of: Principal(uid: uid, pid: 1, groups: []), for: owner.value)
            }
        }

        /// Returns when what was reported before has been done.
        func settle() async throws { try await loop.run {} }

        func end() async throws {
            let service = service
            try await loop.run { service.value.end() }
            try await loop.shutDown()
        }
    }

    @Test func beginningAndEndOfASessionAreReported() async throws {
        let sessions = FakeLoginSessions()
        let bench = try await Bench(sessions)
        let absent = try await bench.permission()
        #expect(absent.authorization == .authorizedWhenInUse && !absent.mayReceive)
        #expect(absent.reason?.contains("no active login session") == true)
        try await bench.settle()
        let before = bench.changes.count
        sessions.logIn(Self.uid)
        try await bench.settle()
        #expect(bench.changes.values.dropFirst(before) == [true])
        let present = try await bench.permission()
        #expect(present.mayReceive && present.reason == nil)
        sessions.logOut(Self.uid)
        try await bench.settle()
        #expect(bench.changes.values.dropFirst(before) == [true, false])
        #expect(try await !bench.permission().mayReceive)
        #expect(sessions.observers == 1, "one observation is enough")
        try await bench.end()
        #expect(sessions.observers == 0)
        sessions.logIn(Self.uid)
        #expect(bench.changes.count == before + 2)
    }

    /// A login manager that comes later is observed from the next permission on, and clients of before are judged anew.
    @Test func loginManagerThatComesLaterIsObserved() async throws {
        let sessions = FakeLoginSessions(active: [Self.uid], isPresent: false)
        let bench = try await Bench(sessions)
        #expect(try await bench.permission().reason?.contains("no login manager") == true)
        try await bench.settle()
        #expect(bench.changes.count == 0 && sessions.observers == 0)
        sessions.arrive()
        #expect(try await bench.permission().mayReceive)
        try await bench.settle()
        #expect(bench.changes.values == [true])
        try await bench.end()
    }
}
