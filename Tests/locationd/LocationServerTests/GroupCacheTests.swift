@_spi(Programs) import LocationModel
import Testing

@testable import LocationServer

/// What is known of groups, and for how long.
@Suite struct GroupCacheTests {
    private func time(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: Int64(seconds * 1e9)) }

    /// A reference, because the macros of the tests call no mutating methods.
    private final class Cache {
        private var value = GroupCache()

        func groups(of uid: UInt32, for caller: Int, at now: BootInstant) -> GroupCache.Answer {
            value.groups(of: uid, for: caller, at: now)
        }

        func finish(_ uid: UInt32, groups: Set<UInt32>?, at now: BootInstant) -> [Int] {
            value.finish(uid, groups: groups, at: now)
        }

        func leave(_ uid: UInt32, _ caller: Int) -> Bool { value.leave(uid, caller) }
    }

    @Test func equalCallsShareOneLookUp() {
        let cache = Cache()
        #expect(cache.groups(of: 7, for: 1, at: time(0)) == .begins)
        #expect(cache.groups(of: 7, for: 2, at: time(1)) == .waits)
        #expect(cache.groups(of: 8, for: 3, at: time(1)) == .begins, "another user's waits for nobody")
        #expect(cache.finish(7, groups: [70], at: time(2)) == [1, 2])
        #expect(cache.groups(of: 7, for: 4, at: time(2)) == .known([70]))
        #expect(cache.groups(of: 8, for: 5, at: time(2)) == .waits)
    }

    @Test func membershipIsBelievedForSecondsFromBeforeItsLookUpBegan() {
        let cache = Cache()
        #expect(cache.groups(of: 7, for: 1, at: time(0)) == .begins)
        #expect(cache.finish(7, groups: [70], at: time(4)) == [1])
        #expect(cache.groups(of: 7, for: 2, at: time(4.999)) == .known([70]))
        #expect(cache.groups(of: 7, for: 3, at: time(5)) == .begins)
        // A look-up that took longer than that is for those who waited alone.
        #expect(cache.finish(7, groups: [71], at: time(10)) == [3])
        #expect(cache.groups(of: 7, for: 4, at: time(10)) == .begins)
    }

    @Test func failureIsNotKept() {
        let cache = Cache()
        #expect(cache.groups(of: 7, for: 1, at: time(0)) == .begins)
        #expect(cache.finish(7, groups: nil, at: time(0)) == [1])
        #expect(cache.groups(of: 7, for: 2, at: time(0)) == .begins)
    }

    @Test func fewCallsOfAUserWait() {
        let cache = Cache()
        #expect(cache.groups(of: 7, for: 0, at: time(0)) == .begins)
        for caller in 1..<GroupCache.waitingPerUser {
            #expect(cache.groups(of: 7, for: caller, at: time(0)) == .waits)
        }
        #expect(cache.groups(of: 7, for: 100, at: time(0)) == .tooManyCalls(GroupCache.waitingPerUser))
        #expect(cache.leave(7, 3), "its time is over")
        #expect(!cache.leave(7, 3))
        #expect(cache.groups(of: 7, for: 101, at: time(9)) == .waits, "the look-up still runs")
        #expect(cache.finish(7, groups: [], at: time(9)).count == GroupCache.waitingPerUser)
    }

    @Test func sizeIsBounded() {
        let cache = Cache()
        let count = UInt32(GroupCache.capacity)
        for uid in 0..<count { #expect(cache.groups(of: uid, for: Int(uid), at: time(0)) == .begins) }
        #expect(cache.groups(of: count, for: -1, at: time(0)) == .tooManyUsers(GroupCache.capacity))
        for uid in 0..<count { #expect(cache.finish(uid, groups: [uid], at: time(0)) == [Int(uid)]) }
        #expect(cache.groups(of: count, for: -1, at: time(1)) == .begins)
        #expect(cache.finish(count, groups: [1], at: time(1)) == [-1])
        let kept = (0...count).count { uid in
            if case .known = cache.groups(of: uid, for: -2, at: time(1)) { true } else { false }
        }
        #expect(kept == GroupCache.capacity, "the oldest has made room")
    }
}
