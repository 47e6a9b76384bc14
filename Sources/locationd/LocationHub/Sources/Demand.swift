@_spi(Programs) import LocationModel

/// Whether the sources should run: on with the first demand, off a while after the last, and occasionally for a
/// refresh.
struct Demand {
    private enum State {
        case off(since: BootInstant)
        case on
        case lingering(until: BootInstant)
        /// Running only to refresh the last location.
        case refreshing(until: BootInstant)
    }

    private var state: State

    init(at now: BootInstant) {
        state = .off(since: now)
    }

    var isOn: Bool {
        if case .off = state { false } else { true }
    }

    /// Updates the demand after a change of the clients' needs, the switch or the time.
    ///
    /// - Parameters:
    /// - needed: whether any client needs the sources.
    ///   - enabled: false stops at once, without lingering.
    /// - Returns: the new demand if it changed.
    mutating func update(
        needed: Bool, enabled: Bool, at now: BootInstant, settings: HubSettings
    ) -> Bool? {
        let before = isOn
        state = next(needed: needed, enabled: enabled, at: now, settings: settings)
        return isOn == before ? nil : isOn
    }

    /// A fix came, which completes a refresh.
    mutating func fixArrived(at now: BootInstant) {
        if case .refreshing = state { state = .refreshing(until: now) }
    }

    /// When the next update is due.
    func deadline(settings: HubSettings, enabled: Bool) -> BootInstant? {
        switch state {
        case .on: nil
        case .lingering(let until), .refreshing(let until): until
        case .off(let since): enabled ? settings.refreshInterval.map { since.advanced(bySeconds: $0) } : nil
        }
    }

    private func next(needed: Bool, enabled: Bool, at now: BootInstant, settings: HubSettings) -> State {
        guard enabled else {
            if case .off = state { return state }
            return .off(since: now)
        }
        if needed { return .on }
        switch state {
        case .on:
            return settings.linger > 0 ? .lingering(until: now.advanced(bySeconds: settings.linger)) : .off(since: now)
        case .lingering(let until), .refreshing(let until):
            return now < until ? state : .off(since: now)
        case .off(let since):
            guard let interval = settings.refreshInterval, now >= since.advanced(bySeconds: interval)
            else { return state }
            return .refreshing(until: now.advanced(bySeconds: settings.refreshTimeout))
        }
    }
}
