import Machine
import TestSupport
import Testing

@testable import LocationKit

/// One thread, when there is something to do, and none else.
@Suite(.timeLimit(.minutes(3)))
struct ClientThreadTests {
    @Test func threadIsThereForAJobOnly() async throws {
        let thread = ClientThread(named: "kit-job")
        #expect(!thread.isCurrent)
        let seen = Seen<Bool>()
        #expect(thread.perform { _ in seen.append(thread.isCurrent) })
        try await eventually { seen.values == [true] }
        try await eventually { ThreadCount.named("kit-job") == 0 }
        #expect(thread.perform { _ in seen.append(ThreadCount.named("kit-job") == 1) })
        try await eventually { seen.values == [true, true] }
    }

    @Test func jobsRunInOrderWhateverThreadRunsThem() async throws {
        let thread = ClientThread(named: "kit-order")
        let seen = Seen<Int>()
        for number in 0..<2000 {
            #expect(thread.perform { _ in seen.append(number) })
            // Often enough the thread is just ending.
            if number.isMultiple(of: 50) { try await eventually { seen.count == number + 1 } }
        }
        try await eventually { seen.count == 2000 }
        #expect(seen.values == Array(0..<2000))
        try await eventually { ThreadCount.named("kit-order") == 0 }
    }

    @Test func jobsOfManyThreadsAllRun() async throws {
        let thread = ClientThread(named: "kit-many")
        let count = Seen<Void>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { _ = thread.perform { _ in count.append(()) } }
                }
            }
        }
        try await eventually { count.count == 8000 }
        try await eventually { ThreadCount.named("kit-many") == 0 }
    }

    @Test func jobForAThreadThatIsNotThereIsForgotten() async throws {
        let thread = ClientThread(named: "kit-none")
        let (stream, ran) = AsyncStream.makeStream(of: Int.self)
        thread.performIfRunning { _ in ran.yield(1) }
        _ = thread.perform { _ in ran.yield(2) }
        var runs = stream.makeAsyncIterator()
        #expect(await runs.next() == 2)
    }

    @Test func timersRunInTheOrderOfTheirMoments() async throws {
        let thread = ClientThread(named: "kit-timer")
        let seen = Seen<Int>()
        _ = thread.perform { loop in
            let start = loop.now
            for number in [3, 1, 4, 0, 2] {
                _ = loop.schedule(at: start.advanced(bySeconds: Double(number) / 200)) { loop in
                    let isDue = loop.now.seconds(since: start) >= Double(number) / 200
                    seen.append(isDue ? number : -1)
                }
            }
            let never = loop.schedule(at: start.advanced(bySeconds: 0.001)) { _ in seen.append(99) }
            loop.cancel(never)
        }
        try await eventually { seen.values == [0, 1, 2, 3, 4] }
        try await eventually { ThreadCount.named("kit-timer") == 0 }
    }

    @Test func timerThatRunsCancelsAnotherThatIsDue() async throws {
        let thread = ClientThread(named: "kit-cancel")
        let (stream, ran) = AsyncStream.makeStream(of: Int.self)
        _ = thread.perform { loop in
            let past = loop.now.advanced(bySeconds: -1)
            var second: ClientLoop.TimerID?
            _ = loop.schedule(at: past) { loop in
                ran.yield(1)
                if let second { loop.cancel(second) }
                _ = loop.schedule(at: past) { _ in ran.yield(3) }
            }
            second = loop.schedule(at: past) { _ in ran.yield(2) }
        }
        var runs = stream.makeAsyncIterator()
        #expect(await runs.next() == 1)
        #expect(await runs.next() == 3)
    }
}
