import Authorization
import Foundation
import Glibc
import ProgramTestSupport
import Synchronization
import Testing

/// Changes of login records, as the installed libsystemd tells them.
extension LoginTests {
    @Suite(.enabled(if: LoginRecords.areWritable, "only root writes login records"))
    struct LoginObservationTests {
        private let login = SystemdLogin()
        private let bell = Bell()

        @Test func everyChangeIsTold() async throws {
            let records = try LoginRecords()
            let observation = try #require(login.observe { bell.ring() })
            try records.set("active")
            try await bell.wait { login.isActive(records.uid) }
            try records.set("online")
            try await bell.wait { !login.isActive(records.uid) }
            try records.set("active")
            try await bell.wait { login.isActive(records.uid) }
            try records.remove()
            try await bell.wait { !login.isActive(records.uid) }
            observation.cancel()
            try await WatchThreads.end()
        }

        @Test func changesAreToldOnAThreadOfTheirOwn() async throws {
            let records = try LoginRecords()
            let name = Mutex("")
            let observation = try #require(
                login.observe {
                    let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                    name.withLock { $0 = comm ?? "unknown" }
                    bell.ring()
                })
            try records.set("active")
            try await bell.wait()
            #expect(name.withLock { $0 } == "login-watch\n")
            #expect(WatchThreads.count == 1)
            observation.cancel()
            try await WatchThreads.end()
        }

        @Test func aChangeWhileItIsToldOfAnotherIsNotLost() async throws {
            let records = try LoginRecords(count: 2)
            let observation = try #require(
                login.observe {
                    if bell.count == 0 { try? records.set("active", of: 1) }
                    bell.ring()
                })
            try records.set("active")
            // Nothing is left to ring but the change made while the first was told.
            try await bell.wait { bell.count >= 2 && login.isActive(records.uid + 1) }
            observation.cancel()
            try await WatchThreads.end()
        }

        @Test func manyChangesAreToldTogether() async throws {
            let users: UInt32 = 60
            let records = try LoginRecords(count: users)
            let observation = try #require(
                login.observe {
                    if bell.count == 0 {
                        for user in 1..<users { try? records.set("active", of: user) }
                    }
                    bell.ring()
                })
            try records.set("active")
            try await bell.wait { bell.count >= 2 }
            let last = users - 1
            #expect(login.isActive(records.uid + last))
            try records.remove(last)
            try await bell.wait { !login.isActive(records.uid + last) }
            // Three in a quiet directory; tests beside this one may write there too.
            #expect(bell.count < 30)
            observation.cancel()
            try await WatchThreads.end()
        }

        @Test(arguments: ["cancelled", "released"]) func nothingIsToldAfterwards(how: String) async throws {
            let records = try LoginRecords()
            let other = Bell()
            var observation = login.observe { bell.ring() }
            #expect(observation != nil)
            try records.set("active")
            try await bell.wait()
            if how == "cancelled" { observation?.cancel() } else { observation = nil }
            try await WatchThreads.end()
            let told = bell.count
            let witness = try #require(login.observe { other.ring() })
            try records.set("online")
            try await other.wait()
            #expect(bell.count == told)
            witness.cancel()
            try await WatchThreads.end()
            withExtendedLifetime(observation) {}
        }

        @Test func itMayBeEndedFromWithin() async throws {
            let records = try LoginRecords()
            let kept = Mutex<LoginObservation?>(nil)
            let observation = login.observe {
                kept.withLock { $0?.cancel() }
                bell.ring()
            }
            kept.withLock { $0 = observation }
            #expect(observation != nil)
            try records.set("active")
            try await bell.wait()
            try await WatchThreads.end()
        }

        @Test func everyObserverIsTold() async throws {
            let records = try LoginRecords()
            let other = Bell()
            let first = try #require(login.observe { bell.ring() })
            let second = try #require(login.observe { other.ring() })
            try records.set("active")
            try await bell.wait()
            try await other.wait()
            first.cancel()
            second.cancel()
            try await WatchThreads.end()
        }
    }
}
