import Foundation
import Glibc
import ProgramTestSupport
import ServiceServer
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ListeningSocketTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// What is said about a path that cannot be served.
    private func refusal(_ path: String, mode: UInt32 = 0o666) -> String? {
        do throws(ListeningSocket.Failure) {
            _ = try ListeningSocket.bind(path: path, mode: mode, group: nil)
            return nil
        } catch {
            return error.description
        }
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Failure("no \(path)") }
        return status
    }

    @Test(arguments: [0o666, 0o660, 0o600] as [UInt32])
    func permissionsAndGroupAreGiven(_ mode: UInt32) throws {
        let path = folder("a.sock")
        let group = getuid() == 0 ? 64_321 : getgid()
        let socket = try ListeningSocket.bind(path: path, mode: mode, group: group)
        let status = try status(path)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        #expect(status.st_mode & 0o7777 == mode)
        #expect(status.st_gid == group)
        #expect(status.st_uid == getuid())
        close(socket.release())
    }

    @Test func nobodyIsLetInBeforeItListens() throws {
        let path = folder("a.sock")
        let descriptor = try ListeningSocket.bind(path: path, mode: 0o666, group: nil).release()
        defer { close(descriptor) }
        #expect(throws: Failure.self) { try UnixSocket(path: path) }
        #expect(listen(descriptor, 1) == 0)
        _ = try UnixSocket(path: path)
    }

    @Test func socketOfTheLivingIsLeftAlone() throws {
        let path = folder("a.sock")
        let descriptor = try ListeningSocket.bind(path: path, mode: 0o600, group: nil).release()
        defer { close(descriptor) }
        #expect(listen(descriptor, 1) == 0)
        let before = try status(path).st_ino
        let words = try #require(refusal(path))
        #expect(words.contains("(pid \(getpid()))"))
        #expect(words.contains(path))
        #expect(try status(path).st_ino == before)
        // Nor with so many waiting to be let in that no more fit.
        var waiting: [Int32] = []
        defer { waiting.forEach { close($0) } }
        for _ in 0..<4 {
            let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            waiting.append(client)
            _ = try SocketFile(path).connect(client)
        }
        #expect(refusal(path)?.contains("already serves") == true)
        #expect(try status(path).st_ino == before)
    }

    @Test func socketOfTheDeadIsReplaced() throws {
        let path = folder("a.sock")
        close(try ListeningSocket.bind(path: path, mode: 0o600, group: nil).release())
        let socket = try ListeningSocket.bind(path: path, mode: 0o660, group: nil)
        #expect(try status(path).st_mode & 0o7777 == 0o660)
        close(socket.release())
    }

    @Test func whatIsNoSocketIsLeftAlone() throws {
        let path = folder("a.sock")
        try Data("precious".utf8).write(to: URL(filePath: path))
        #expect(refusal(path)?.contains("is not a socket; remove it") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
        let link = folder("link.sock")
        #expect(symlink(path, link) == 0)
        #expect(refusal(link)?.contains("is not a socket") == true)
        #expect(refusal(folder.path)?.contains("is not a socket") == true)
    }

    @Test func pathHasALongestLength() throws {
        let longest = folder(String(repeating: "x", count: 107 - folder.path.utf8.count - 1))
        #expect(longest.utf8.count == 107)
        #expect(refusal(longest) == nil)
        #expect(refusal(longest + "x")?.contains("107 bytes at most") == true)
        #expect(refusal(longest + String(repeating: "é", count: 5000))?.contains("too long") == true)
    }

    @Test func missingFolderIsExplained() throws {
        let path = folder("missing/a.sock")
        #expect(refusal(path) == "cannot create \(path): No such file or directory")
    }

    @Test func emptyPathIsRefused() {
        #expect(refusal("") != nil)
    }

    /// Root may write anywhere but where nobody may: in /proc.
    @Test func folderThatCannotBeWrittenIsExplained() throws {
        let path: String
        if getuid() == 0 {
            path = "/proc/a.sock"
        } else {
            chmod(folder.path, 0o500)
            path = folder("a.sock")
        }
        #expect(refusal(path)?.hasPrefix("cannot create \(path): ") == true)
    }
}
