import Glibc
@_spi(Programs) import SystemSupport
import TestSupport
import Testing
import Varlink

@_spi(Programs) @testable import LocationKit

/// One thread while there is work, and none otherwise.
@Suite(.timeLimit(.minutes(10)))
struct ClientThreadTests {
    @Test func threadIsThereForAJobOnly() async throws {
        let thread = ClientThread(named: "kit-job")
        #expect(!thread.isCurrent)
        let seen = ValueRecorder<Bool>()
        #expect(thread.perform { _ in seen.append(thread.isCurrent) })
        try await eventually { seen.values == [true] }
        try await eventually { ThreadCount.named("kit-job") == 0 }
        #expect(thread.perform { _ in seen.append(ThreadCount.named("kit-job") == 1) })
        try await eventually { seen.values == [true, true] }
    }

    @Test func jobsRunInOrderWhateverThreadRunsThem() async throws {
        let thread = ClientThread(named: "kit-order")
        let seen = ValueRecorder<Int>()
        for number in 0..<2000 {
            #expect(thread.perform { _ in seen.append(number) })
            // The thread is just ending in many of these rounds.
            if number.isMultiple(of: 50) { try await eventually { seen.count == number + 1 } }
        }
        try await eventually { seen.count == 2000 }
        #expect(seen.values == Array(0..<2000))
        try await eventually { ThreadCount.named("kit-order") == 0 }
    }

    @Test func jobsOfManyThreadsAllRun() async throws {
        let thread = ClientThread(named: "kit-many")
        let count = ValueRecorder<Void>()
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

    @Test func jobForAThreadThatDoesNotRunIsDropped() async throws {
        let thread = ClientThread(named: "kit-none")
        let (stream, ran) = AsyncStream.makeStream(of: Int.self)
        thread.performIfRunning { _ in ran.yield(1) }
        _ = thread.perform { _ in ran.yield(2) }
        var runs = stream.makeAsyncIterator()
        #expect(await runs.next() == 2)
    }

    @Test func timersRunInTheOrderOfTheirMoments() async throws {
        let thread = ClientThread(named: "kit-timer")
        let seen = ValueRecorder<Int>()
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

    @Test func answerThatIsThereComesBeforeTheEndOfItsTime() async throws {
        let daemon = try ScriptedDaemon(answer: "{}\0", then: .stays)
        let (stream, ran) = AsyncStream.makeStream(of: String.self)
        _ = ClientThread(named: "kit-late").perform { loop in
            var (connection, timer): (ClientConnection?, ClientLoop.TimerID?)
            connection = try? loop.connect(to: daemon.path) { _ in
                ran.yield("answer")
                if let timer { loop.cancel(timer) }
                connection?.close()
                ran.finish()
            }
            try? connection?.send("a.b", NoParameters())
            // Blocks the thread until the answer has come and its timeout has passed.
            guard var entry = connection?.interest, poll(&entry, 1, -1) == 1 else { return ran.finish() }
            timer = loop.schedule(at: loop.now) { _ in ran.yield("end") }
        }
        var received: [String] = []
        for await word in stream { received.append(word) }
        #expect(received == ["answer"])
    }

    @Test func jobsBeforeInputRunBeforeAnyInput() async throws {
        let daemon = try ScriptedDaemon(answer: "{}\0", then: .stays)
        let (stream, ran) = AsyncStream.makeStream(of: String.self)
        _ = ClientThread(named: "kit-soon").perform { loop in
            var connection: ClientConnection?
            connection = try? loop.connect(to: daemon.path) { _ in
                ran.yield("answer")
                connection?.close()
                ran.finish()
            }
            try? connection?.send("a.b", NoParameters())
            guard var entry = connection?.interest, poll(&entry, 1, -1) == 1 else { return ran.finish() }
            _ = loop.scheduleBeforeInput { loop in
                ran.yield("soon")
                _ = loop.scheduleBeforeInput { _ in ran.yield("next") }
            }
        }
        var received: [String] = []
        for await word in stream { received.append(word) }
        #expect(received == ["soon", "next", "answer"])
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
