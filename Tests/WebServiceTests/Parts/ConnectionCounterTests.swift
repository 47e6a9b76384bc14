import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import WebService

/// How many connections there may be, and when nobody is there, by a clock that the tests set.
@Suite struct ConnectionCounterTests {
    private let loop = EmbeddedEventLoop()
    private let idle = ValueRecorder<Int64>()

    private func counter(_ limit: Int = 10, perUser: Int = 10, idleExit: Double? = 10) -> ConnectionCounter {
        ConnectionCounter(limit, perUser: perUser, idleExit: idleExit, on: loop) { [idle, loop] in
            idle.append(Int64(loop.now.uptimeNanoseconds / 1_000_000_000))
        }
    }

    @Test func nobodyComes() {
        let counter = counter()
        loop.advanceTime(by: .seconds(9))
        #expect(idle.values.isEmpty)
        loop.advanceTime(by: .seconds(1))
        #expect(idle.values == [10])
        withExtendedLifetime(counter) {}
    }

    @Test func openConnectionKeepsItUp() {
        let counter = counter()
        loop.advanceTime(by: .seconds(9))
        for owner: UInt32? in [1000, 1000, nil] { #expect(counter.enter(owner)) }
        loop.advanceTime(by: .hours(24))
        counter.leave(1000)
        counter.leave(nil)
        loop.advanceTime(by: .seconds(100))
        #expect(idle.values.isEmpty)
        counter.leave(1000)
        loop.advanceTime(by: .seconds(5))
        #expect(counter.enter(1001))
        counter.leave(1001)
        loop.advanceTime(by: .seconds(9))
        #expect(idle.values.isEmpty, "the last one counts")
        loop.advanceTime(by: .seconds(1))
        #expect(idle.count == 1)
    }

    /// Whoever has a link finds the service that knows it.
    @Test(arguments: [false, true])
    func linkKeepsItUp(othersCome: Bool) {
        let counter = counter()
        loop.advanceTime(by: .seconds(9))
        counter.expectConnection(within: 60)
        if othersCome {
            #expect(counter.enter(1))
            counter.leave(1)
        }
        loop.advanceTime(by: .seconds(59))
        #expect(idle.values.isEmpty)
        loop.advanceTime(by: .seconds(1))
        #expect(idle.values == [69])
    }

    @Test func withoutATimeItStaysUp() {
        let counter = counter(idleExit: nil)
        #expect(counter.enter(1))
        counter.leave(1)
        counter.expectConnection(within: 1)
        loop.advanceTime(by: .hours(1000))
        #expect(idle.values.isEmpty)
    }

    @Test func limitsAreThoseOfOpenConnections() {
        let counter = counter(5, perUser: 3, idleExit: nil)
        for _ in 0..<3 { #expect(counter.enter(1)) }
        #expect(!counter.enter(1), "a user's limit")
        #expect(counter.enter(nil))
        #expect(counter.enter(2))
        #expect(!counter.enter(3), "the limit of all")
        counter.leave(1)
        #expect(counter.enter(3))
        #expect(!counter.enter(1))
        counter.leave(3)
        #expect(counter.enter(1))
        #expect(!counter.enter(1))
    }
}
