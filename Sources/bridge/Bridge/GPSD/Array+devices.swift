import GPSDProtocol
@_spi(Programs) import LocationInterface

extension [GPSDDevice] {
    /// With the daemon's receivers first, in its order. Those that only this list has stay, but for names of sources whose
    /// receivers are known now, or that are gone.
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
}
