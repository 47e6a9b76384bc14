import Foundation
import Glibc

@testable import LocationKit

/// How many threads this process has, read from `/proc`.
enum ThreadCount {
    /// The threads with that name.
    static func named(_ name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n"
        }
    }
}

/// How many descriptors this process has, those of other tests included.
enum DescriptorCount {
    static var all: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }
}
