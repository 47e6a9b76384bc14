import NIOCore
import NIOEmbedded
import Testing

@testable import ServiceServer

/// Whose work is done when, on an event loop whose time goes as the test says.
struct CallSchedulerTests {
    /// An event loop, a scheduler on it, and what was done in which order.
    private final class Bench {
        let loop = EmbeddedEventLoop()
        private var busy: Int64 = 0
        private(set) lazy var scheduler = CallScheduler(loop: loop) { [unowned self] in
            loop.now + .nanoseconds(busy)
        }
        private(set) var done: [String] = []

        /// Work that takes so many microseconds.
        func work(_ name: String, microseconds: Int64) -> CallScheduler.Work {
            { [unowned self] in
                busy += microseconds * 1000
                done.append(name)
            }
        }

        /// The event loop does nothing but what is due for so long.
        func pass(milliseconds: Int64) {
            for _ in 0..<(milliseconds * 10) { loop.advanceTime(by: .microseconds(100)) }
        }
    }

    @Test func workIsDoneAtOnceWhileThereIsCredit() {
        let bench = Bench()
        for number in 1...5 { bench.scheduler.perform(for: 1, bench.work("\(number)", microseconds: 100)) }
        #expect(bench.done == ["1", "2", "3", "4", "5"])
        #expect(bench.scheduler.waiting == 0)
    }

    @Test func usersTakeTurnsHoweverMuchOneOfThemAsks() {
        let bench = Bench()
        bench.scheduler.perform(for: 1, bench.work("long", microseconds: 3000))
        for number in 1...50 { bench.scheduler.perform(for: 1, bench.work("one\(number)", microseconds: 400)) }
        bench.scheduler.perform(for: 2, bench.work("two", microseconds: 10))
        bench.scheduler.perform(for: 3, bench.work("three", microseconds: 10))
        #expect(bench.done == ["long"], "the rest waits, whosever it is")
        bench.pass(milliseconds: 8)
        #expect(bench.done.starts(with: ["long", "one1", "two", "three"]), "\(bench.done)")
        bench.pass(milliseconds: 100)
        #expect(bench.done.count == 53)
        #expect(bench.scheduler.waiting == 0)
    }

    /// Of each stretch of time the event loop has at least half for everything else.
    @Test func workTakesHalfOfTheTimeAtMost() {
        let bench = Bench()
        for number in 0..<1000 {
            bench.scheduler.perform(for: UInt32(number % 8), bench.work("\(number)", microseconds: 1000))
        }
        bench.pass(milliseconds: 100)
        // For the event loop of the bench no time passes while work is done: in 100 ms of other time no more than that
        // of work, and a slice.
        #expect((90...102).contains(bench.done.count), "\(bench.done.count)")
    }

    @Test func slicesAreShort() {
        let bench = Bench()
        for number in 0..<100 { bench.scheduler.perform(for: 1, bench.work("\(number)", microseconds: 100)) }
        #expect(bench.done.count == 10, "a millisecond's worth")
        bench.loop.advanceTime(by: .milliseconds(1))
        #expect((15...20).contains(bench.done.count), "no more than another one a millisecond later")
    }

    @Test func restOfAnyLengthIsWorthOneSlice() {
        let bench = Bench()
        #expect(bench.scheduler.isFree)
        bench.pass(milliseconds: 1000)
        for number in 0..<100 { bench.scheduler.perform(for: 1, bench.work("\(number)", microseconds: 100)) }
        #expect(bench.done.count == 10, "a millisecond's worth")
    }

    @Test func newWorkDoesNotGoBeforeWhatWaits() {
        let bench = Bench()
        bench.scheduler.enqueue(for: 1, bench.work("one", microseconds: 1))
        bench.scheduler.perform(for: 2, bench.work("two", microseconds: 1))
        #expect(bench.done.isEmpty && bench.scheduler.waiting == 2, "there is credit, and somebody waits for it")
        bench.pass(milliseconds: 1)
        #expect(bench.done == ["one", "two"])
    }

    /// Work that causes work of another connection does not go before its turn.
    @Test func workWithinWorkWaits() {
        let bench = Bench()
        bench.scheduler.perform(for: 1) {
            bench.scheduler.perform(for: 1, bench.work("inner", microseconds: 1))
            #expect(bench.done.isEmpty)
        }
        bench.pass(milliseconds: 1)
        #expect(bench.done == ["inner"])
    }
}
