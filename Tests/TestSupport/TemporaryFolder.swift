import Foundation
import Glibc

/// A folder of the test's own, with a path short enough for sockets; it goes when the test does.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
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

    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
