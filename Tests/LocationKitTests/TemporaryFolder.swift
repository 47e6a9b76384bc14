import Foundation
import Glibc

/// A folder of the test's own, with a path short enough for sockets; it goes when the test does.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/locationd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("no temporary folder: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Clients of other users pass through it.
        chmod(path, 0o755)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
