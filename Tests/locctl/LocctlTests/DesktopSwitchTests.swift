import Testing

@testable import locctl

/// The desktop's own switch for locations, of which the person is told.
struct DesktopSwitchTests {
    @Test(arguments: [
        ("GNOME", "false", "GNOME" as String?), ("ubuntu:GNOME", "false", "GNOME"), ("Phosh:GNOME", "false", "Phosh"),
        ("GNOME", "true", nil), ("KDE", "false", nil), ("", "false", nil), ("GNOME", "No such schema", nil),
    ])
    func switchIsNamedWhereItIsOffAndCounts(desktops: String, setting: String, name: String?) {
        #expect(DesktopSwitch(desktops: desktops, setting: setting)?.desktop == name)
    }

    @Test func placeIsTheDesktops() throws {
        let gnome = try #require(DesktopSwitch(desktops: "GNOME", setting: "false"))
        #expect(gnome.finding.hasPrefix("GNOME's Location Services are off"))
        #expect(gnome.advice.contains("Settings > Privacy & Security > Location"))
        let phosh = try #require(DesktopSwitch(desktops: "Phosh:GNOME", setting: "false"))
        #expect(phosh.advice.contains("gsettings set org.gnome.system.location enabled true"))
    }
}
