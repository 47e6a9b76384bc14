import Foundation
@_spi(Programs) import SystemSupport
import Testing

/// Tasks run on threads of their own, several at a time.
@Suite(.timeLimit(.minutes(10)))
struct TaskThreadsTests {
    private let threads: TaskThreads

    init() throws {
        threads = try #require(TaskThreads())
    }

    fileprivate static var threadName: String? {
        try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    }

    @Test func tasksAndTheirChildrenRunThere() async {
        let names = await withTaskExecutorPreference(threads) {
            await withTaskGroup(of: String?.self) { group in
                for _ in 0..<100 { group.addTask { Self.threadName } }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(names == ["tasks\n"])
        let name = await Task(executorPreference: threads) { Self.threadName }.value
        #expect(name == "tasks\n")
    }

    @Test func oneThatWaitsHoldsUpNoOther() async {
        let bell = DispatchSemaphore(value: 0)
        let waiting = Task(executorPreference: threads) { Self.wait(for: bell) }
        for _ in 0..<100 { await Task(executorPreference: threads) {}.value }
        bell.signal()
        await waiting.value
    }

    @Test func actorsAndContinuationsComeBackThere() async {
        actor Place {
            var name: String? { TaskThreadsTests.threadName }
        }
        let names = await withTaskExecutorPreference(threads) {
            let first = await Place().name
            await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
            return [first, Self.threadName]
        }
        #expect(names == ["tasks\n", "tasks\n"])
    }

    private static func wait(for bell: DispatchSemaphore) { bell.wait() }
}
