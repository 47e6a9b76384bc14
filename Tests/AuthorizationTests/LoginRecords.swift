import Foundation
import Glibc
import Synchronization
import TestSupport

/// Records of users as systemd-logind keeps them, for uids that no user and no other test process has.
final class LoginRecords: Sendable {
    private static let directory = "/run/systemd/users"

    /// Whether records can be written here.
    static var areWritable: Bool {
        getuid() == 0 && (access(directory, W_OK) == 0 || access("/run", W_OK) == 0)
    }

    /// The lowest of this object's uids.
    let uid: UInt32
    private let count: UInt32
    /// What had to be made, the innermost first.
    private let made: [String]

    /// - Parameter count: how many users there are to be.
    init(count: UInt32 = 1) throws {
        self.count = count
        uid = 2_000_000_000 + UInt32(getpid()) % 1_000_000 * 100
        made = ["/run/systemd", Self.directory].filter { mkdir($0, 0o755) == 0 }.reversed()
        guard access(Self.directory, W_OK) == 0 else { throw Failure("no \(Self.directory): \(errno)") }
    }

    deinit {
        for offset in 0..<count { try? FileManager.default.removeItem(atPath: path(offset)) }
        for directory in made { rmdir(directory) }
    }

    /// Writes a user's record with that state, the way logind does.
    func set(_ state: String, of offset: UInt32 = 0) throws {
        try write("# This is private data. Do not parse.\nNAME=nobody\nSTATE=\(state)\nSESSIONS=1\n", of: offset)
    }

    /// Puts a whole record in place at once.
    func write(_ text: String, of offset: UInt32 = 0) throws {
        let draft = "\(Self.directory)/.#\(uid + offset)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
        guard rename(draft, path(offset)) == 0 else { throw Failure("\(draft) not renamed: \(errno)") }
    }

    func makeDirectory() throws {
        guard mkdir(path(0), 0o755) == 0 else { throw Failure("no directory: \(errno)") }
    }

    func remove(_ offset: UInt32 = 0) throws {
        guard unlink(path(offset)) == 0 else { throw Failure("record not removed: \(errno)") }
    }

    private func path(_ offset: UInt32) -> String { "\(Self.directory)/\(uid + offset)" }
}
