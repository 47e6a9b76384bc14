@_spi(Programs) import LocationModel

/// Whether the sources run because monitors need a fix. A search that finds none, as indoors, ends after
/// ``HubSettings/searchTimeout``; the pause after it is as long at first and doubles after each further failure, up to
/// ``HubSettings/longestSearchPause``.
struct MonitorSearch {
    private enum State {
        case resting
        case searching(since: BootInstant)
        case pausing(until: BootInstant)
    }

    private var state = State.resting
    private var failures = 0

    var isSearching: Bool {
        if case .searching = state { true } else { false }
    }

    /// The need, the switch or the time may have changed.
    /// - Parameter due: by when a fix is needed; `nil` if none is.
    mutating func update(due: BootInstant?, at now: BootInstant, settings: HubSettings) {
        guard let due, due <= now else { return self = MonitorSearch() }
        switch state {
        case .resting: state = .searching(since: now)
        case .searching(let since):
            guard now >= since.advanced(bySeconds: settings.searchTimeout) else { return }
            state = .pausing(until: now.advanced(bySeconds: pause(settings)))
            failures += 1
        case .pausing(let until): if now >= until { state = .searching(since: now) }
        }
    }

    /// A fix came, or a new client needs one: searching is worthwhile again.
    mutating func restart() {
        self = MonitorSearch()
    }

    /// When the next update is due.
    func deadline(due: BootInstant?, settings: HubSettings) -> BootInstant? {
        switch state {
        case .resting: due
        case .searching(let since): since.advanced(bySeconds: settings.searchTimeout)
        case .pausing(let until): until
        }
    }

    private func pause(_ settings: HubSettings) -> Double {
        var pause = settings.searchTimeout
        for _ in 0..<failures where pause < settings.longestSearchPause { pause *= 2 }
        return min(pause, settings.longestSearchPause)
    }
}
