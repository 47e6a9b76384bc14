/// The desktop ids of programs, by which GeoClue's interface knows them: the names of their desktop files without
/// `.desktop`. A program may claim any.
@_spi(Programs) public enum DesktopID {
    /// What stands before the id in the label of a program that uses GeoClue's interface.
    @_spi(Programs) public static let labelPrefix = "GeoClue: "

    /// The parts of desktops, by GeoClue's list of system components: what they do with the position is no program's of
    /// the person, so the person is never asked because of them.
    @_spi(Programs) public static let desktopParts: Set<String> = [
        "gnome-datetime-panel", "gnome-color-panel", "org.gnome.Shell", "io.elementary.desktop.agent-geoclue2",
        "sm.puri.Phosh", "lipstick",
    ]

    /// What stands in the journal before the label of a program that was refused because no desktop file of its id is
    /// installed: `locctl diagnose` finds it by that.
    @_spi(Programs) public static let missingFileMark = (key: "desktop-file", value: "missing")

    /// - Returns: `nil` if the label is not one of a program that uses GeoClue's interface.
    @_spi(Programs) public static func id(in label: String) -> String? {
        label.hasPrefix(labelPrefix) ? String(label.dropFirst(labelPrefix.count)) : nil
    }

    /// The name of the id's desktop file; `nil` for an id that names no file in a folder of applications.
    @_spi(Programs) public static func fileName(of id: String) -> String? {
        let isName = !id.isEmpty && id.utf8.count <= 128 && id.utf8.first != UInt8(ascii: ".")
        return isName && !id.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 32 } ? id + ".desktop" : nil
    }
}
