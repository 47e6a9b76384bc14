import Foundation

/// How many threads this process has, read from `/proc`.
package enum ThreadCount {
    /// The threads with that name.
    package static func named(_ name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n"
        }
    }
}

/// How many descriptors this process has, those of other tests included.
package enum DescriptorCount {
    package static var all: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }
}
