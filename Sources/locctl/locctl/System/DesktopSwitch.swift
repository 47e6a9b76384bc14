import Glibc
@_spi(Programs) import SystemSupport

/// The desktop's own switch for locations, which keeps them from programs that use GeoClue's interface. Desktops begin
/// with it off, and say so nowhere.
struct DesktopSwitch: Equatable {
    /// The desktop as people know it.
    let desktop: String

    /// The switch if it is off, by what `gsettings get` prints of it.
    ///
    /// - Parameter desktops: the value of XDG_CURRENT_DESKTOP, a list.
    init?(desktops: String, setting: String) {
        let names = desktops.split(separator: ":")
        guard setting == "false", let name = ["Phosh", "GNOME"].first(where: { names.contains(Substring($0)) }) else {
            return nil
        }
        desktop = name
    }

    /// The switch of the session that this program belongs to; `nil` if it is on, or the desktop has none that counts.
    static var off: DesktopSwitch? {
        guard access("/usr/share/dbus-1/system-services/org.freedesktop.GeoClue2.service", F_OK) == 0,
            let desktops = getenv("XDG_CURRENT_DESKTOP").map({ String(cString: $0) }), let waker = Waker()
        else { return nil }
        let words = ["get", "org.gnome.system.location", "enabled"]
        guard var gsettings = try? ServiceChild("/usr/bin/gsettings", words),
            case .line(let line)? = try? gsettings.nextEvent(waker: waker, seconds: 2)
        else { return nil }
        return DesktopSwitch(desktops: desktops, setting: String(decoding: line, as: UTF8.self))
    }

    var finding: String { "\(desktop)'s Location Services are off: programs that use GeoClue get no position" }

    var advice: String {
        let place = desktop == "GNOME" ? "Privacy & Security > Location" : "Privacy > Location Services"
        return "switch them on in Settings > \(place), or by `gsettings set org.gnome.system.location enabled true`"
    }
}
