import LocationModel

/// When the watches that want a location only every so often need the receivers: they rest in between.
///
/// A fix serves a watch if it is as accurate as the watch requires or, without such a requirement, as ``goodAccuracy``; one
/// that does not get better for ``improvement`` seconds serves it too. Its next location is due an interval later, and
/// the receivers are started earlier than that, by the longest time to such a fix of the last ``sampleCount`` starts and a
/// ``margin``. They keep running if they would rest for less than ``shortestRest``; a long start is forgotten then after
/// ``lifetime``, because the next may be shorter, as it is after a cold one.
struct IntervalDemand {
    /// Metres.
    static let goodAccuracy = 25.0
    /// Seconds after the first fix of a run.
    static let improvement = 10.0
    /// Seconds.
    static let margin = 2.0
    /// Seconds. Shorter rests save little: the sources linger, and a receiver needs power to find itself again.
    static let shortestRest = 20.0
    static let sampleCount = 4
    /// Seconds to a good fix while no start was measured.
    static let usualStart = 10.0
    /// Seconds.
    static let lifetime = 300.0

    private struct Entry {
        let interval: Double
        let requiredAccuracy: Double?
        let account: Int?
        var due: BootInstant
    }

    private var entries: [WatchID: Entry] = [:]
    /// When the receivers have to start, or to go on; `nil` without such watches.
    private(set) var wake: BootInstant?
    /// When the sources started that have not given a good fix yet.
    private var runBegan: BootInstant?
    private var firstFix: BootInstant?
    private var samples: [Double] = []
    /// When the last start was measured, or one was forgotten.
    private var renewed: BootInstant?

    var isEmpty: Bool { entries.isEmpty }

    /// How long before a location is due the receivers start, seconds.
    var lead: Double { (samples.max() ?? Self.usualStart) + Self.margin }

    /// A watch begins.
    /// - Parameter fix: what it was sent at once; without it, a location is due now.
    mutating func add(_ id: WatchID, _ watch: Watch, servedBy fix: Location?, at now: BootInstant) {
        guard let interval = watch.restInterval else { return }
        let due = fix.map { $0.monotonicTime.advanced(bySeconds: interval) } ?? now
        entries[id] = Entry(
            interval: interval, requiredAccuracy: watch.request.requiredAccuracy, account: watch.account, due: due)
        findWake(at: now)
    }

    mutating func remove(_ id: WatchID) {
        guard entries.removeValue(forKey: id) != nil, entries.isEmpty else { return }
        wake = nil
    }

    /// The sources start or stop.
    mutating func sourcesChanged(areRunning: Bool, at now: BootInstant) {
        runBegan = areRunning ? now : nil
        firstFix = nil
    }

    /// A fix of the followed receiver.
    /// - Returns: true if it served a watch.
    mutating func applyFix(_ fix: Location, at now: BootInstant) -> Bool {
        guard !entries.isEmpty || runBegan != nil else { return false }
        firstFix = firstFix ?? now
        let isFinal = firstFix.map { now.seconds(since: $0) >= Self.improvement } ?? false
        let accuracy = fix.horizontalAccuracy ?? .infinity
        guard !entries.isEmpty else {
            // A start for others takes as long as one for these watches.
            if isFinal || accuracy <= Self.goodAccuracy { measureStart(at: now) }
            return false
        }
        var hasServed = false
        for (id, entry) in entries {
            let isGood = accuracy <= entry.requiredAccuracy ?? (isFinal ? .infinity : Self.goodAccuracy)
            guard isGood else { continue }
            entries[id]?.due = now.advanced(bySeconds: entry.interval)
            hasServed = true
        }
        guard hasServed else { return false }
        measureStart(at: now)
        findWake(at: now)
        forgetLongStart(at: now)
        return true
    }

    /// The watches that need the receivers now, with their accounts.
    func waiting(at now: BootInstant) -> [WatchID: Int?] {
        guard let wake, wake <= now else { return [:] }
        let end = now.advanced(bySeconds: lead + Self.shortestRest)
        return entries.filter { $0.value.due < end }.mapValues(\.account)
    }

    private mutating func measureStart(at now: BootInstant) {
        guard let began = runBegan else { return }
        samples = Array((samples + [now.seconds(since: began)]).suffix(Self.sampleCount))
        (runBegan, renewed) = (nil, now)
    }

    private mutating func forgetLongStart(at now: BootInstant) {
        guard let wake, wake <= now, let renewed, now.seconds(since: renewed) >= Self.lifetime,
            let longest = samples.indices.max(by: { samples[$0] < samples[$1] })
        else { return }
        samples.remove(at: longest)
        self.renewed = now
        findWake(at: now)
    }

    private mutating func findWake(at now: BootInstant) {
        guard let due = entries.values.lazy.map(\.due).min() else { return wake = nil }
        let start = due.advanced(bySeconds: -lead)
        wake = start.seconds(since: now) < Self.shortestRest ? min(start, now) : start
    }
}

extension Watch {
    /// Seconds between two locations, for a watch that lets the receivers rest in between.
    ///
    /// Only for clients that see every fix: the others must not learn when the receivers run for somebody else, and would
    /// from the state of the sources while they rest.
    var restInterval: Double? {
        guard makesDemand, permission.seesSources else { return nil }
        guard let pauseInterval else { return request.interval }
        return max(pauseInterval, request.interval ?? 0)
    }

    /// True if it lets the receivers never rest.
    var needsReceiversAlways: Bool { makesDemand && restInterval == nil }
}
