import LocationModel

/// What is shown to those who do not see every fix as it is. All who share a view see the same, whenever and however
/// often they ask, so that asking again, or with others, tells no more.
struct Views {
    /// `nil` if reduced accuracy cannot be had; nothing is shown then.
    private(set) var reduction: ReducedAccuracy?
    private var isUnkept = false
    private var paced: [View: Location] = [:]
    /// What was found for the fix of this number.
    private var memo: (sequence: Int64, shown: [View: Location?]) = (0, [:])

    init(reduction: ReducedAccuracy? = nil) {
        self.reduction = reduction
    }

    /// How seldom rough fixes are given, seconds.
    mutating func setReducedInterval(_ interval: Double) {
        reduction?.interval = interval
    }

    /// What a view shows of a new fix; `nil` if nothing new.
    mutating func applyFix(_ location: Location, for view: View, at now: BootInstant) -> Location? {
        if memo.sequence != location.sequence { memo = (location.sequence, [:]) }
        if let known = memo.shown[view] { return known }
        let shown = look(at: location, for: view, at: now)
        memo.shown[view] = .some(shown)
        return shown
    }

    /// - Returns: true if there is something to keep since it was last asked.
    mutating func takeUnkept() -> Bool {
        defer { isUnkept = false }
        return isUnkept
    }

    /// What a view that does not show every fix has to show between two of them.
    func current(_ view: View, at now: BootInstant) -> Location? {
        switch view {
        case .nothing, .full: nil
        case .paced(let pace): paced[view].flatMap { $0.age(at: now) < pace.interval ? $0 : nil }
        case .reduced(nil): reduction?.current(at: now)
        case .reduced(let pace?):
            paced[view].flatMap { $0.age(at: now) < max(pace.interval, reduction?.interval ?? 0) ? $0 : nil }
        }
    }

    /// When a view that does not show every fix shows another at the earliest; `nil` if the next one.
    func nextNews(for view: View) -> BootInstant? {
        switch view {
        case .nothing, .full: return nil
        case .paced(let pace): return paced[view]?.monotonicTime.advanced(bySeconds: pace.interval)
        case .reduced(nil): return reduction?.nextChange
        case .reduced(let pace?):
            let own = paced[view]?.monotonicTime.advanced(bySeconds: pace.interval)
            return [own, reduction?.nextChange].compactMap { $0 }.max()
        }
    }

    private mutating func look(at location: Location, for view: View, at now: BootInstant) -> Location? {
        switch view {
        case .nothing: return nil
        case .full: return location
        case .paced(let pace): return keepPace(pace, location, for: view, at: now)
        case .reduced(nil):
            let places = reduction?.places
            defer { if reduction?.places != places { isUnkept = true } }
            return reduction?.applyFix(location, at: now)
        case .reduced(let pace?):
            guard let reduced = applyFix(location, for: .reduced(nil), at: now) ?? reduction?.current(at: now)
            else { return nil }
            return keepPace(pace, reduced, for: view, at: now)
        }
    }

    private mutating func keepPace(
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
