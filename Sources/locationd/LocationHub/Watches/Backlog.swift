@_spi(Programs) import LocationModel

/// What a slow watch has yet to receive: one slot per kind, the newest wins; all status changes stay, up to
/// ``statusLimit``, and so do a monitor's events, in the order of their arrival.
struct Backlog {
    static let statusLimit = 16

    private(set) var items: ArraySlice<WatchUpdate> = []

    var isEmpty: Bool { items.isEmpty }

    /// - Returns: the number of locations dropped, 0 or 1.
    mutating func hold(location: Location) -> Int {
        let passedOver = remove { $0.location != nil }
        items.append(WatchUpdate(location: location))
        return passedOver
    }

    mutating func hold(heading: Heading, at time: BootInstant) {
        remove { $0.heading != nil }
        var update = WatchUpdate()
        update.heading = heading
        update.headingTime = time
        items.append(update)
    }

    mutating func hold(satellites: [Satellite]) {
        remove { $0.satellites != nil }
        var update = WatchUpdate()
        update.satellites = satellites
        items.append(update)
    }

    /// - Returns: false if there are more status changes than the limit.
    mutating func hold(status: ServiceStatus) -> Bool {
        items.append(WatchUpdate(status: status))
        return items.count { $0.status != nil } <= Self.statusLimit
    }

    /// - Returns: false if there are more events than the limit.
    mutating func hold(_ events: [WatchUpdate], limit: Int) -> Bool {
        items += events
        return items.count <= limit
    }

    mutating func popFirst() -> WatchUpdate? {
        items.popFirst()
    }

    /// Drops everything that contains a position; what remains is status.
    /// - Returns: the number of locations dropped, 0 or 1.
    @discardableResult
    mutating func forgetPositions() -> Int {
        let locations = items.count { $0.location != nil }
        items.removeAll { $0.status == nil }
        return locations
    }

    @discardableResult
    private mutating func remove(where matches: (WatchUpdate) -> Bool) -> Int {
        let before = items.count
        items.removeAll(where: matches)
        return before - items.count
    }
}
