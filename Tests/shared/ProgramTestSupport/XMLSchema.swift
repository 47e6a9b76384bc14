import Foundation

/// The published schemas of GPX 1.1 and KML 2.2 (OGC), from the folder that `LOCATIOND_TEST_SCHEMAS` names, else
/// `.build/schemas`; `make test` puts them there. libxml2's validator judges by them, and loads nothing from the
/// network.
package enum XMLSchema: String, Sendable {
    case gpx = "gpx.xsd"
    case kml = "ogckml22.xsd"

    private var path: String {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_SCHEMAS"] ?? ".build/schemas"
        return URL(filePath: named, relativeTo: Repository.root).appending(path: rawValue).path
    }

    /// What is wrong with a whole document; nothing, if it is valid. It blocks the thread.
    package func complaints(about document: String) throws -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(
                "no schema at \(path); `make test` puts it there, or name its folder in LOCATIOND_TEST_SCHEMAS")
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(document, to: "document.xml")
        let checker = try LoggedProcess("xmllint", ["--noout", "--nonet", "--schema", path, file])
        let code = try checker.wait()
        return code == 0 ? "" : checker.output + checker.errors + "code \(code)"
    }
}
