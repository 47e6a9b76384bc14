import Foundation
import TestSupport

/// The threads of this process that watch logins.
enum WatchThreads {
    static var count: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "login-watch\n"
        }
    }

    /// Waits until there is none. Each must have told something before: it is not counted until it has got its name.
    /// A thread that ends rings no bell: the kernel takes it away in its own time.
    static func end() async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(20)
        while count > 0 {
            guard clock.now < deadline else { throw Failure("\(count) threads are left") }
            await Task.yield()
        }
    }
}
