@_spi(Programs) package import LocationModel

/// A receiver as clients of gpsd's protocol see it.
package struct GPSDDevice: Sendable, Hashable {
    /// What identifies it in reports and requests; see ``wirePath(_:)``.
    package let path: String
    /// Which source it belongs to; clients show it as the driver. It is a second name of the device in requests,
    /// because it is the first where the path becomes known later.
    package let name: String
    /// When it began to report; `nil` while it does not.
    package private(set) var activated: UTCTime?
    /// Whether it has reported before; gpsd's POLL counts it from then on.
    package private(set) var hasReported: Bool

    package init(path: String, name: String, activated: UTCTime? = nil) {
        self.path = Self.wirePath(path)
        self.name = name.escapingUnprintable().prefix(utf8Count: Self.longestName)
        self.activated = activated
        hasReported = activated != nil
    }

    /// The same device, which begins to report, or does not report any more.
    package func activated(at moment: UTCTime?) -> GPSDDevice {
        var device = self
        (device.activated, device.hasReported) = (moment, hasReported || moment != nil)
        return device
    }

    /// The same device, which its source has given up, or which is gone: POLL does not count it any more.
    package var givenUp: GPSDDevice { GPSDDevice(path: path, name: name) }

    /// Whether a request that names a device means this one.
    package func isNamed(_ device: String) -> Bool { device == path || device == name }

    /// Whether its path is not known, and the name of its source stands for it.
    package var isUnheard: Bool { path == name }

    /// Bytes; libgps holds one more of each, and some of its versions never return from reading a longer one.
    private static let longestPath = 127
    private static let longestName = 63

    /// A path that fits the clients' memory and has no control characters: the same for a device in every message.
    package static func wirePath(_ path: String) -> String {
        // Nearly all paths are like this, and this runs for each fix.
        if path.utf8.count <= longestPath, path.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return path }
        return path.escapingUnprintable().prefix(utf8Count: longestPath)
    }
}

extension SourceInformation {
    /// The device of reports: the receiver's path, or the source's name where it has no receivers.
    package var gpsdDevice: String { GPSDDevice.wirePath(device ?? name) }
}
