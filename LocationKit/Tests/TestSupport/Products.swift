import Foundation
import Glibc

/// The built programs, which lie beside the tests, or in the folder that LOCATIOND_PROGRAMS names.
package enum Products {
    package static let daemon = path(of: "locationd")
    package static let command = path(of: "locctl")
    package static let places = path(of: "locationd-places")

    /// False where the client libraries are tested alone.
    package static let areBuilt = access(daemon, X_OK) == 0

    package static func path(of program: String) -> String { "\(folder)/\(program)" }

    /// The programs where every user may run them: the place they are built in may be somebody's own.
    package static func copied(to folder: TemporaryFolder) throws -> (daemon: String, command: String) {
        for path in [daemon, command] {
            let copy = folder((path as NSString).lastPathComponent)
            guard !FileManager.default.fileExists(atPath: copy), link(path, copy) != 0 else { continue }
            // By another process: a file that this one has open for writing, a child that starts meanwhile has open
            // too, and nobody can run it.
            guard try LoggedProcess("cp", [path, copy]).wait() == 0 else { throw Failure("\(path) is not copied") }
        }
        return (folder("locationd"), folder("locctl"))
    }

    private static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["LOCATIOND_PROGRAMS"] { return named }
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, count)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        return (program as NSString).deletingLastPathComponent
    }()
}
