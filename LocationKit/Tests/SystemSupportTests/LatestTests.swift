@_spi(Programs) import SystemSupport
import Testing

/// Waiters hear of every change, and of the newest state alone.
@Suite(.timeLimit(.minutes(10)))
struct LatestTests {
    @Test func changeThatCameBeforeIsNotWaitedFor() async {
        let latest = Latest(0)
        #expect(latest.current.version == 1)
        latest.change { $0 = 5 }
        #expect(await latest.change(after: 1) == 2)
        #expect(await latest.change(after: 0) == 2)
        #expect(latest.current.value == 5)
    }

    @Test func waiterIsWokenByAChange() async {
        let latest = Latest(0)
        async let version = latest.change(after: 1)
        await Task.yield()
        latest.change { $0 += 1 }
        #expect(await version == 2)
    }

    @Test func everyWaiterIsWoken() async {
        let latest = Latest("a")
        let versions = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { await latest.change(after: 1) } }
            await Task.yield()
            latest.change { $0 = "b" }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(versions == Array(repeating: 2, count: 50))
    }

    @Test func cancellationEndsTheWaitOfOneAlone() async {
        let latest = Latest(0)
        let cancelled = Task { await latest.change(after: 1) }
        let waiting = Task { await latest.change(after: 1) }
        cancelled.cancel()
        #expect(await cancelled.value == 1)
        latest.change { $0 = 1 }
        #expect(await waiting.value == 2)
    }

    @Test func waitThatBeginsCancelledDoesNotWait() async {
        let latest = Latest(0)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await latest.change(after: 1)
        }
        #expect(await task.value == 1)
    }

    @Test func noChangeIsSleptThroughUnderAThousandAtOnce() async {
        let latest = Latest(0)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var seen = 0
                    while latest.current.value < 1000 { seen = await latest.change(after: seen) }
                    return seen
                }
            }
            for _ in 0..<1000 {
                group.addTask {
                    latest.change { $0 += 1 }
                    return 0
                }
            }
            // A wake-up that is lost leaves its waiter, and the test, without an end.
            await group.waitForAll()
        }
        #expect(latest.current.value == 1000 && latest.current.version == 1001)
    }

    @Test func cancellationsAndChangesCross() async {
        let latest = Latest(0)
        for round in 1...500 {
            let waiting = Task { await latest.change(after: round) }
            async let cancelled: Void = waiting.cancel()
            latest.change { $0 += 1 }
            await cancelled
            #expect(await [round, round + 1].contains(waiting.value))
        }
        #expect(latest.current.value == 500)
    }
}
