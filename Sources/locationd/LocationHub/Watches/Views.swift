@_spi(Programs) import LocationModel

/// The locations shown to clients that do not see every fix as it is. All clients of a view see the same, whenever and
/// however often they ask, so that repeated or combined requests reveal no more.
struct Views {
    /// `nil` if accuracy cannot be reduced; then nothing is shown.
    private(set) var reduction: ReducedAccuracy?
    /// The same without the machine's displacement, for ``View/coarse(_:)``. Nothing of it is persisted.
    private var coarse: ReducedAccuracy?
    private var hasUnpersistedChanges = false
    private var paced: [View: Location] = [:]
    /// The results for the fix of this number.
    private var memo: (sequence: Int64, shown: [View: Location?]) = (0, [:])

    init(reduction: ReducedAccuracy? = nil) {
        self.reduction = reduction
        coarse = reduction?.withoutDisplacement
    }

    /// The least time between two reduced fixes, seconds.
    mutating func setReducedInterval(_ interval: Double) {
        reduction?.interval = interval
        coarse?.interval = interval
    }

    /// The accuracy of a fix, metres, that suffices for the reduced views; `nil` if accuracy cannot be reduced.
    var sufficientAccuracy: Double? { reduction?.sufficientAccuracy }

    /// What a view shows of a new fix; `nil` if nothing new is due.
    mutating func applyFix(_ location: Location, for view: View, at now: BootInstant) -> Location? {
        if memo.sequence != location.sequence { memo = (location.sequence, [:]) }
        if let known = memo.shown[view] { return known }
        let shown = look(at: location, for: view, at: now)
        memo.shown[view] = .some(shown)
        return shown
    }

    /// - Returns: true if there is something to persist since the last call.
    mutating func consumeUnpersistedChanges() -> Bool {
        defer { hasUnpersistedChanges = false }
        return hasUnpersistedChanges
    }

    /// What a rate-limited or reduced view shows between two of its locations.
    func current(_ view: View, at now: BootInstant) -> Location? {
        switch view {
        case .nothing, .full: nil
        case .paced(let pace): paced[view].flatMap { $0.age(at: now) < pace.interval ? $0 : nil }
        case .coarse(nil): coarse?.current(at: now)
        case .reduced(nil): reduction?.current(at: now)
        case .coarse(let pace?), .reduced(let pace?):
            paced[view].flatMap { $0.age(at: now) < max(pace.interval, reduction?.interval ?? 0) ? $0 : nil }
        }
    }

    /// When such a view shows its next location at the earliest; `nil` if with the next fix.
    func nextChange(for view: View) -> BootInstant? {
        switch view {
        case .nothing, .full: return nil
        case .paced(let pace): return paced[view]?.monotonicTime.advanced(bySeconds: pace.interval)
        case .coarse(nil): return coarse?.nextChange
        case .reduced(nil): return reduction?.nextChange
        case .coarse(let pace?): return limit(coarse?.nextChange, by: pace, for: view)
        case .reduced(let pace?): return limit(reduction?.nextChange, by: pace, for: view)
        }
    }

    private func limit(_ next: BootInstant?, by pace: Pace, for view: View) -> BootInstant? {
        let own = paced[view]?.monotonicTime.advanced(bySeconds: pace.interval)
        return [own, next].compactMap { $0 }.max()
    }

    private mutating func look(at location: Location, for view: View, at now: BootInstant) -> Location? {
        switch view {
        case .nothing: return nil
        case .full: return location
        case .paced(let pace): return limitPace(pace, location, for: view, at: now)
        case .coarse(nil): return coarse?.applyFix(location, at: now)
        case .coarse(let pace?):
            guard let coarse = applyFix(location, for: .coarse(nil), at: now) ?? coarse?.current(at: now)
            else { return nil }
            return limitPace(pace, coarse, for: view, at: now)
        case .reduced(nil):
            let places = reduction?.places
            defer { if reduction?.places != places { hasUnpersistedChanges = true } }
            return reduction?.applyFix(location, at: now)
        case .reduced(let pace?):
            guard let reduced = applyFix(location, for: .reduced(nil), at: now) ?? reduction?.current(at: now)
            else { return nil }
            return limitPace(pace, reduced, for: view, at: now)
        }
    }

    private mutating func limitPace(
        _ pace: Pace, _ location: Location, for view: View, at now: BootInstant
    ) -> Location? {
        if let last = paced[view] {
            guard LocationFilter(interval: pace.interval).admits(location, since: .init(last)) else { return nil }
        } else {
            forgetStale(at: now)
        }
        paced[view] = location
        return location
    }

    private mutating func forgetStale(at now: BootInstant) {
        paced = paced.filter { view, location in current(view, at: now) != nil }
    }
}
