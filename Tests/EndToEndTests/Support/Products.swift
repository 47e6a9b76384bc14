import Foundation
import Glibc
import TestSupport

/// The built programs, which lie beside the tests.
enum Products {
    static let daemon = folder + "/locationd"
    static let command = folder + "/locctl"
    static let places = folder + "/locationd-places"

    /// The programs where every user may run them: the place they are built in may be somebody's own.
    static func copied(to folder: TemporaryFolder) throws -> (daemon: String, command: String) {
        for path in [daemon, command] {
            let copy = folder.file((path as NSString).lastPathComponent)
            guard !FileManager.default.fileExists(atPath: copy), link(path, copy) != 0 else { continue }
            // By another process: a file that this one has open for writing, a child that starts meanwhile has open
            // too, and nobody can run it.
            guard try Child("cp", [path, copy]).wait() == 0 else { throw Failure("\(path) is not copied") }
        }
        return (folder.file("locationd"), folder.file("locctl"))
    }

    private static let folder: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (program as NSString).deletingLastPathComponent
    }()
}

/// Another user than the one who runs the tests.
struct OtherUser {
    let number: UInt32

    /// Only root may become somebody else.
    static var canBeBecome: Bool { geteuid() == 0 }

    /// Somebody without any group of the system.
    static let stranger = OtherUser(number: 61_234)

    /// The words before a program's that run it as this user.
    var command: [String] {
        ["--reuid=\(number)", "--regid=\(number)", "--clear-groups", "--"]
    }
}
