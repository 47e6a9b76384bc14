import Foundation

/// Prometheus' own checker of metrics: the one that `LOCATIOND_TEST_PROMTOOL` names, else `.build/promtool`; `make
/// test` puts it there.
package enum Promtool {
    private static var path: String {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_PROMTOOL"] ?? ".build/promtool"
        return URL(filePath: named, relativeTo: Repository.root).path
    }

    /// What it finds wrong with a text; nothing, if all is well. It blocks the thread.
    package static func complaints(about text: String) throws -> String {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("no promtool at \(path); `make test` makes one, or name one in LOCATIOND_TEST_PROMTOOL")
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "metrics.txt")
        let checker = try LoggedProcess("sh", ["-c", #"exec "$0" check metrics < "$1""#, path, file])
        let code = try checker.wait()
        return checker.output + checker.errors + (code == 0 ? "" : "code \(code)")
    }

    /// The value of a series, which is written with its labels.
    package static func value(_ series: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(series + " ") }?.split(separator: " ").last.flatMap {
            Double($0)
        }
    }
}
