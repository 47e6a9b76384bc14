@_spi(Programs) public import LocationInterface
@_spi(Programs) import LocationModel

extension WatchReply: SessionAnswer {
    @_spi(Programs) public var isStopping: Bool { status.isStopping }

    @_spi(Programs) public mutating func removeSeenFix(_ seen: inout SeenFixes) {
        if let location, !seen.admit(location.value) { self.location = nil }
    }
}

extension MonitorReply: SessionAnswer {
    @_spi(Programs) public var isStopping: Bool { status.isStopping }
}

extension RequestsReply: SessionAnswer {
    @_spi(Programs) public var isStopping: Bool { false }
}

extension ServiceStatus? {
    /// The daemon's last word of itself: see `Watch` in the interface.
    fileprivate var isStopping: Bool { self?.reason == "stopping" }
}
