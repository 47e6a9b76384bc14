import Dispatch
import Foundation
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

/// Threads that are there while there is something to do.
@Suite(.timeLimit(.minutes(10)))
struct ThreadsOnDemandTests {
    private static var threadName: String? {
        try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    }

    private static func wait(for bell: DispatchSemaphore) { bell.wait() }

    /// The names of this process's threads.
    private static func count(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "\(name)\n"
        }
    }

    @Test func tasksRunThereAndLeaveNothing() async throws {
        let threads = ThreadsOnDemand(named: "demand-one", limit: 2)
        for _ in 0..<20 {
            let name = await Task(executorPreference: threads) { Self.threadName }.value
            #expect(name == "demand-one\n")
        }
        try await eventually("the threads have ended") { Self.count(named: "demand-one") == 0 }
    }

    @Test func asManyRunAsTheLimitAllowsAndTheOthersWait() async throws {
        let threads = ThreadsOnDemand(named: "demand-two", limit: 3)
        let bell = DispatchSemaphore(value: 0)
        let begun = ValueRecorder<Int>()
        let tasks = (0..<5).map { number in
            Task(executorPreference: threads) {
                begun.append(number)
                Self.wait(for: bell)
            }
        }
        try await eventually("three run") { begun.values.count == 3 }
        #expect(Self.count(named: "demand-two") == 3)
        for _ in tasks { bell.signal() }
        for task in tasks { await task.value }
        #expect(begun.values.count == 5)
    }
}
