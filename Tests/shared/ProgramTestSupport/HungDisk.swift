import Foundation

/// A file system on a folder that can be made not to answer.
package final class HungDisk {
    /// Whether there may be one: it takes a loop device.
    package static let isPossible = Privileges.mayMount && FileManager.default.fileExists(atPath: "/dev/loop-control")

    private let path: String
    private var isFrozen = false

    /// - Parameter image: where its content is to be.
    package init(on path: String, image: String) throws {
        self.path = path
        try Self.run("truncate", "-s", "8M", image)
        try Self.run("mkfs.ext4", "-q", image)
        try Self.run("mount", "-o", "loop", image, path)
        try Self.run("chmod", "700", path)
    }

    deinit {
        try? thaw()
        try? Self.run("umount", "-l", path)
    }

    /// From now on whoever writes waits, and cannot be interrupted.
    package func freeze() throws {
        try Self.run("fsfreeze", "-f", path)
        isFrozen = true
    }

    package func thaw() throws {
        guard isFrozen else { return }
        try Self.run("fsfreeze", "-u", path)
        isFrozen = false
    }

    /// Whether a thread of the process waits for a disk.
    package static func holds(_ process: LoggedProcess) -> Bool {
        let tasks = "/proc/\(process.pid)/task"
        return (try? FileManager.default.contentsOfDirectory(atPath: tasks))?.contains { task in
            text(of: "\(tasks)/\(task)/stat").contains(") D ")
        } ?? false
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let child = try LoggedProcess(program, arguments)
        guard try child.wait(within: 60) == 0 else { throw Failure("\(program): \(child.errors)") }
    }
}
