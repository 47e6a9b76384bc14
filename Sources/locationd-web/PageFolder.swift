import Glibc
import SystemSupport
import WebService

/// Where the pages and Leaflet are installed.
enum PageFolder {
    /// Debian's package libjs-leaflet.
    private static let leaflet = "/usr/share/javascript/leaflet"

    /// - Parameter path: named by a flag; `nil` for the folder beside the program, or the package's.
    /// - Throws: which folder is missing.
    static func files(_ path: String?) throws(StaticFiles.Failure) -> StaticFiles {
        var files = StaticFiles()
        try files.add(path ?? installed, under: "/")
        try files.add(leaflet, under: "/leaflet/")
        return files
    }

    private static var installed: String {
        let beside = OwnProgram.folder.map { "\($0)/locationd_locationd-web.resources/Pages" }
        return beside.flatMap { access($0, R_OK) == 0 ? $0 : nil } ?? "/usr/share/locationd-web"
    }
}
