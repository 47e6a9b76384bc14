import Glibc
@_spi(Programs) import SystemSupport
import WebService

/// Where the pages, Leaflet and the map's files are installed.
enum PageFolder {
    /// Debian's package libjs-leaflet.
    private static let leaflet = "/usr/share/javascript/leaflet"

    /// - Parameters:
    ///   - path: named by a flag; `nil` for the folder beside the program, or the package's.
    ///   - borders: the folder of the map's files, which need not exist.
    /// - Throws: which folder is missing.
    static func files(_ path: String?, borders: String) throws(StaticFiles.Failure) -> StaticFiles {
        var files = StaticFiles()
        try files.add(path ?? installed, under: "/")
        try files.add(leaflet, under: "/leaflet/")
        if access(borders, F_OK) == 0 { try files.add(borders, under: "/base/") }
        return files
    }

    private static var installed: String {
        let beside = OwnProgram.folder.map { "\($0)/locationd_locationd-web.resources/Pages" }
        return beside.flatMap { access($0, R_OK) == 0 ? $0 : nil } ?? "/usr/share/locationd-web"
    }
}
