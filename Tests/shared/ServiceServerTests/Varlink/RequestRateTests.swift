import NIOCore
import ServiceServer
import Testing

struct RequestRateTests {
    private func moment(_ seconds: Double) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000 + UInt64(seconds * 1e9))
    }

    /// How many of so many calls at a moment are let through.
    private func taken(_ rate: inout RequestRate, uid: UInt32, of calls: Int = 30, at seconds: Double) -> Int {
        (0..<calls).count { _ in rate.spend(uid: uid, at: moment(seconds)) }
    }

    @Test func burstThenRate() {
        var rate = RequestRate(limit: 10)
        let counts = [
            taken(&rate, uid: 1, at: 0), taken(&rate, uid: 1, at: 1), taken(&rate, uid: 2, at: 1),
            taken(&rate, uid: 1, at: 100), taken(&rate, uid: 1, at: 0),
        ]
        #expect(counts == [20, 10, 20, 20, 0], "each user has its own, and a clock that goes back gives nothing")
    }

    @Test func expensiveCallDelaysTheNext() {
        var rate = RequestRate(limit: 10)
        rate.charge(100, uid: 1, at: moment(0))
        let counts = [
            taken(&rate, uid: 2, at: 0), taken(&rate, uid: 1, at: 8), taken(&rate, uid: 1, at: 9),
            taken(&rate, uid: 1, at: 20),
        ]
        #expect(counts == [20, 0, 10, 20])
    }

    @Test func callThatCostsMoreThanIsLeftIsServedAndPaidForLater() {
        var rate = RequestRate(limit: 10)
        let served = (0..<5).map { _ in rate.spend(64, uid: 1, at: moment(0)) }
        #expect(served == [true, false, false, false, false], "64 of 20 are spent")
        #expect([4.4, 4.6].map { rate.spend(uid: 1, at: moment($0)) } == [false, true])
        var slow = RequestRate(limit: 1)
        let isServed = slow.spend(64, uid: 1, at: moment(0))
        #expect(isServed, "a call that costs more than may ever be spent at once")
    }

    @Test func slowRateLetsOneCallThrough() {
        var rate = RequestRate(limit: 0.1)
        let counts = [0, 1, 10].map { taken(&rate, uid: 1, at: $0) }
        #expect(counts == [1, 0, 1])
    }

    @Test func thousandsOfUsersAreForgottenOnceTheyRest() {
        var rate = RequestRate(limit: 10)
        let refused = (0..<5000).count { taken(&rate, uid: UInt32($0), of: 1, at: Double($0)) == 0 }
        #expect(refused == 0)
        #expect(rate.count < 300)
    }
}
