import Foundation
import Glibc
import Synchronization

/// Records of users as systemd-logind keeps them, for uids that no user and no other test has.
package final class LoginRecords: Sendable {
    private static let directory = "/run/systemd/users"

    /// What had to be made, the innermost first, and how many objects need it.
    private static let shared = Mutex<(made: [String], users: Int)>(([], 0))

    /// Whether records can be written here.
    package static var areWritable: Bool {
        getuid() == 0 && (access(directory, W_OK) == 0 || access("/run", W_OK) == 0)
    }

    /// The lowest of this object's uids.
    package let uid: UInt32
    private let count: UInt32

    /// - Parameter count: how many users there are to be, at most 100.
    package init(count: UInt32 = 1) throws {
        self.count = count
        uid = 1_000_000_000 + UInt32.random(in: 0..<10_000_000) * 100
        try Self.shared.withLock { shared in
            shared.made.insert(
                contentsOf: ["/run/systemd", Self.directory].filter { mkdir($0, 0o755) == 0 }.reversed(), at: 0)
            guard access(Self.directory, W_OK) == 0 else { throw Failure("no \(Self.directory): \(errno)") }
            shared.users += 1
        }
    }

    deinit {
        for offset in 0..<count { try? FileManager.default.removeItem(atPath: path(offset)) }
        Self.shared.withLock { shared in
            shared.users -= 1
            guard shared.users == 0 else { return }
            for directory in shared.made { rmdir(directory) }
            shared.made = []
        }
    }

    /// Writes a user's record with that state, the way logind does.
    package func set(_ state: String, of offset: UInt32 = 0) throws {
        try write("# This is private data. Do not parse.\nNAME=nobody\nSTATE=\(state)\nSESSIONS=1\n", of: offset)
    }

    /// Puts a whole record in place at once.
    package func write(_ text: String, of offset: UInt32 = 0) throws {
        let draft = "\(Self.directory)/.#\(uid + offset)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
        guard rename(draft, path(offset)) == 0 else { throw Failure("\(draft) not renamed: \(errno)") }
    }

    package func makeDirectory() throws {
        guard mkdir(path(0), 0o755) == 0 else { throw Failure("no directory: \(errno)") }
    }

    package func remove(_ offset: UInt32 = 0) throws {
        guard unlink(path(offset)) == 0 else { throw Failure("record not removed: \(errno)") }
    }

    private func path(_ offset: UInt32) -> String { "\(Self.directory)/\(uid + offset)" }
}
