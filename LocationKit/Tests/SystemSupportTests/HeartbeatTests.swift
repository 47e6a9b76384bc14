import Synchronization
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

/// A thread that beats is alive, one that does not is missed, and one that is gone is nobody's concern.
@Suite(.timeLimit(.minutes(10)))
struct HeartbeatTests {
    private let start = SuspendingClock.now

    private func after(_ seconds: Double) -> SuspendingClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func threadThatBeatsIsAlive() {
        let beats = Heartbeats(interval: 10)
        let heartbeat = beats.begin("reader", at: start)
        #expect(beats.overdue(at: after(10)) == nil)
        heartbeat.beat(at: after(9))
        #expect(beats.overdue(at: after(19)) == nil)
        #expect(beats.overdue(at: after(19.1)) == "reader")
        heartbeat.beat(at: after(30))
        #expect(beats.overdue(at: after(31)) == nil, "it is alive again")
    }

    @Test func threadThatNeverBeganIsMissed() {
        let beats = Heartbeats(interval: 10)
        let heartbeat = beats.begin("reader", at: start)
        #expect(beats.overdue(at: after(11)) == "reader")
        withExtendedLifetime(heartbeat) {}
    }

    @Test func oneOfManyIsMissed() {
        let beats = Heartbeats(interval: 10)
        let threads = ["first", "second", "third"].map { beats.begin($0, at: start) }
        for index in [0, 2] { threads[index].beat(at: after(5)) }
        #expect(beats.overdue(at: after(12)) == "second")
    }

    @Test func longCallIsWaitedForAndNoLonger() {
        let beats = Heartbeats(interval: 10)
        let heartbeat = beats.begin("reader", at: start)
        heartbeat.beat(within: 120, at: start)
        #expect(beats.overdue(at: after(119)) == nil)
        #expect(beats.overdue(at: after(121)) == "reader")
        heartbeat.beat(within: 1, at: after(5))
        #expect(beats.overdue(at: after(14)) == nil, "a shorter time than the usual shortens nothing")
        #expect(beats.overdue(at: after(16)) == "reader")
    }

    @Test func threadThatIsGoneIsNotMissed() {
        let beats = Heartbeats(interval: 10)
        do {
            let heartbeat = beats.begin("reader", at: start)
            heartbeat.beat(at: start)
        }
        #expect(beats.overdue(at: after(1000)) == nil)
    }

    @Test func unwatchedThreadsAreNeverMissed() {
        let heartbeat = Heartbeats.unwatched.begin("reader", at: start)
        heartbeat.beat(at: start)
        #expect(Heartbeats.unwatched.overdue(at: after(1000)) == nil)
    }

    @Test func waitingThreadBeats() async throws {
        let beats = Heartbeats(interval: 0.02)
        let waker = try #require(Waker())
        let heartbeat = beats.begin("reader", at: start)
        #expect(beats.overdue(at: after(0.021)) == "reader")
        async let wait = blocking { heartbeat.wait(waker, for: -1, events: 0, seconds: 3600) }
        // Each beat puts off the moment at which it is missed; so far only the wait itself can.
        while beats.overdue(at: after(0.5)) != nil { await Task.yield() }
        waker.wake()
        guard case .woken = try await wait else { throw Failure("it was not the waker") }
    }

    @Test func waitEndsWithItsTimeHoweverOftenItBeats() async throws {
        let beats = Heartbeats(interval: 0.01)
        let waker = try #require(Waker())
        let heartbeat = beats.begin("reader")
        let began = SuspendingClock.now
        guard case .timedOut = try await blocking({ heartbeat.wait(waker, for: -1, events: 0, seconds: 0.1) }) else {
            throw Failure("nothing was to come")
        }
        #expect(began.duration(to: .now) >= .seconds(0.1))
    }

    @Test func waitHearsTheOtherDescriptor() async throws {
        let waker = try #require(Waker())
        let other = try #require(Waker())
        other.wake()
        for beats in [Heartbeats(interval: 0.01), .unwatched] {
            let heartbeat = beats.begin("reader")
            let wait = try await blocking { heartbeat.wait(waker, for: other.descriptor, events: 1, seconds: 60) }
            guard case .ready = wait else { throw Failure("\(wait)") }
        }
    }
}
