@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession

/// The newest of each kind that the daemon has sent, with the ages that they have when they are read.
struct NewestUpdate {
    private var update = WatchReply()
    /// When the ages were those of `update`.
    private var moment = BootInstant(nanoseconds: 0)
    private var view = UserView()

    /// Whether the user may know the position fully, by the newest status.
    var seesAll: Bool { view.mayKnowPosition && view.status?.accuracy == .full }
    var hasLocation: Bool { update.location != nil }

    /// Replaces what the daemon sends anew.
    ///
    /// A status that does not let the user know the position, or not as precisely as before, removes what was known
    /// before.
    ///
    /// - Returns: whether it does.
    @discardableResult
    mutating func merge(_ new: WatchReply, at now: BootInstant) -> Bool {
        update = aged(at: now)
        moment = now
        var isRemoved = false
        if let status = new.status {
            isRemoved = view.apply(status) != nil
            if isRemoved { removePositions() }
            update.status = status
        }
        update.location = new.location ?? update.location
        update.heading = new.heading ?? update.heading
        update.satellites = new.satellites ?? update.satellites
        return isRemoved
    }

    /// Removes headings and satellites: they have no age, so a page could not show that they are old.
    mutating func removeMomentary() { (update.heading, update.satellites) = (nil, nil) }

    /// Removes what says where the machine is.
    mutating func removePositions() { (update.location, update.heading, update.satellites) = (nil, nil, nil) }

    /// All that is known; `nil` if that is nothing.
    func reply(at now: BootInstant) -> WatchReply? { update == WatchReply() ? nil : aged(at: now) }

    /// The same, once.
    mutating func popReply(at now: BootInstant) -> WatchReply? {
        defer { update = WatchReply() }
        return reply(at: now)
    }

    private func aged(at now: BootInstant) -> WatchReply {
        let seconds = now.seconds(since: moment)
        var aged = update
        aged.location = update.location.map { Aged($0.value, age: $0.age + seconds) }
        aged.heading = update.heading.map { Aged($0.value, age: $0.age + seconds) }
        if let age = update.status?.fixAge { aged.status?.fixAge = age + seconds }
        return aged
    }
}
