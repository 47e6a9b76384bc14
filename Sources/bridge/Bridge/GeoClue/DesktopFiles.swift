import Glibc
@_spi(Programs) import LocationInterface

/// The desktop files that are installed for all users. The service looks into no home, so that it knows nothing of
/// those.
struct DesktopFiles {
    private let folders: [String]

    /// - Parameter folders: those of XDG_DATA_DIRS; `nil` for those that distributions, Flatpak and snap have.
    init(folders: String? = nil) {
        let standard = "/usr/local/share:/usr/share:/var/lib/flatpak/exports/share:/var/lib/snapd/desktop"
        self.folders = (folders ?? standard).split(separator: ":").map(String.init)
    }

    /// The folders that the environment names.
    static var installed: DesktopFiles { DesktopFiles(folders: getenv("XDG_DATA_DIRS").map { String(cString: $0) }) }

    func hasFile(of id: String) -> Bool {
        guard let file = DesktopID.fileName(of: id) else { return false }
        return folders.contains { access("\($0)/applications/\(file)", F_OK) == 0 }
    }
}
