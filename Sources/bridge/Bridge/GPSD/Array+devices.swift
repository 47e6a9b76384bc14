import GPSDProtocol
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

extension [GPSDDevice] {
    /// With the daemon's receivers first, in its order. Those that only this list has stay, but for names of sources
    /// whose receivers are known now, or that are gone.
    func listed(by receivers: [LocationReceiver]) -> [GPSDDevice] {
        let listed = receivers.map { GPSDDevice(path: $0.device ?? $0.source, name: $0.source) }
        let known = listed.filter { device in
            !device.isUnheard || !contains { !$0.isUnheard && $0.name == device.name }
        }
        let former = filter { device in !known.contains { $0.path == device.path } }
        return known.map { device in first { $0.path == device.path } ?? device }
            + former.filter { !$0.isUnheard || $0.activated != nil }
    }

    /// With this device, which reports; the name of its source need not stand for it any more.
    func activating(_ device: GPSDDevice) -> [GPSDDevice] {
        let rest = filter { $0.path != device.path && !($0.isUnheard && $0.name == device.name) }
        return rest + [device]
    }

    /// With the devices activated that report, with a fix or without, as gpsd has activated them.
    ///
    /// - Returns: `nil` if all devices are active.
    func activated(by status: ServiceStatus, at moment: UTCTime) -> [GPSDDevice]? {
        guard contains(where: { $0.activated == nil }) else { return nil }
        return map { device in
            let state = status.state(of: device)
            let isHeard = state == .searching || state == .tracking || state == .lost
            return device.activated == nil && isHeard ? device.activated(at: moment) : device
        }
    }

    /// Without the activity of devices that gpsd has given up, or that are gone.
    ///
    /// - Returns: `nil` if there is no such device.
    func deactivated(by status: ServiceStatus) -> [GPSDDevice]? {
        let isGone = { (device: GPSDDevice) in device.hasReported && status.state(of: device) == .unavailable }
        guard contains(where: isGone) else { return nil }
        return map { isGone($0) ? $0.givenUp : $0 }
    }
}

extension ServiceStatus {
    /// The state of a device's source.
    fileprivate func state(of device: GPSDDevice) -> SourceState {
        sources?.first { $0.name == device.name }?.state ?? source
    }
}
