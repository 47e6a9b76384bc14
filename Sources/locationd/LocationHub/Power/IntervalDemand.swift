@_spi(Programs) import LocationModel

/// When the watches that want a location only every so often need the receivers: they rest in between.
///
/// A fix serves a watch if its location is due, and if it is as accurate as the watch requires or, without such a
/// requirement, as ``goodAccuracy``; one that does not get better for ``improvement`` seconds serves it too. The next
/// location is due an interval later, and the receivers are started earlier than that, by the longest time to such a
/// fix of the last ``sampleCount`` starts and a ``margin``. Of a run that began so early for a watch, or for others at
/// that time, the first such fix serves it though its location is not due yet: they can rest again.
///
/// They keep running if they would rest for less than ``shortestRest``; a long start is forgotten then after
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
    /// Seconds by which a location may be late without delaying those after it, so that the watches of a receiver that
    /// runs on get one in each interval.
    static let tolerance = 1.5

    private struct Entry {
        let interval: Double
        let requiredAccuracy: Double?
        /// The watch's least seconds between two locations.
        let leastGap: Double
        let account: Int?
        var due: BootInstant
        var lastServed: BootInstant?
        /// Whether the sources have been started for the location that is due next, or were at that time.
        var isExpected = false

        func mayServe(at now: BootInstant) -> Bool {
            if due <= now { return true }
            guard isExpected else { return false }
            return lastServed.map { now.seconds(since: $0) >= leastGap } ?? true
        }

        mutating func serve(at now: BootInstant) {
            let isInTime = (0...IntervalDemand.tolerance).contains(now.seconds(since: due))
            due = (isInTime ? due : now).advanced(bySeconds: interval)
            lastServed = now
            isExpected = false
        }
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
        entries[id] = Entry(
            interval: interval, requiredAccuracy: watch.request.requiredAccuracy,
            leastGap: watch.request.filter.interval ?? 0, account: watch.account,
            due: fix.map { $0.monotonicTime.advanced(bySeconds: interval) } ?? now, lastServed: fix?.monotonicTime)
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
        guard areRunning else { return }
        let soon = now.advanced(bySeconds: lead + Self.tolerance)
        for (id, entry) in entries where entry.due <= soon { entries[id]?.isExpected = true }
    }

    /// A fix of the followed receiver.
    /// - Returns: the watches that it serves, and whether it is good enough for one whose location may not be due.
    mutating func applyFix(_ fix: Location, at now: BootInstant) -> (served: Set<WatchID>, isGood: Bool) {
        guard !entries.isEmpty || runBegan != nil else { return ([], false) }
        firstFix = firstFix ?? now
        let isFinal = firstFix.map { now.seconds(since: $0) >= Self.improvement } ?? false
        let accuracy = fix.horizontalAccuracy ?? .infinity
        guard !entries.isEmpty else {
            // A start for others takes as long as one for these watches.
            if isFinal || accuracy <= Self.goodAccuracy { measureStart(at: now) }
            return ([], false)
        }
        var (served, isGoodForAny) = (Set<WatchID>(), false)
        for (id, entry) in entries {
            let isGood = accuracy <= entry.requiredAccuracy ?? (isFinal ? .infinity : Self.goodAccuracy)
            guard isGood else { continue }
            isGoodForAny = true
            guard entry.mayServe(at: now) else { continue }
            entries[id]?.serve(at: now)
            served.insert(id)
        }
        guard isGoodForAny else { return ([], false) }
        measureStart(at: now)
        findWake(at: now)
        forgetLongStart(at: now)
        return (served, true)
    }

    /// Why the receivers do not rest between a watch's locations, whatever others need, in words; `nil` if they do, or
    /// are not meant to.
    func reasonToRunOn(for watch: Watch) -> String? {
        guard !watch.isPaused, let interval = watch.restInterval, interval < lead + Self.shortestRest else {
            return nil
        }
        return
            "the receivers keep running: \(secondsInWords(interval)) between two locations leave no rest of at least "
            + "\(secondsInWords(Self.shortestRest)) before they have to start for the next"
    }

    private func secondsInWords(_ seconds: Double) -> String {
        "\(Int(exactly: seconds).map(String.init) ?? "\(seconds)") s"
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
    /// Only for clients that see every fix: the others must not learn when the receivers run for somebody else, and
    /// would from the state of the sources while they rest.
    var restInterval: Double? {
        guard makesDemand, permission.seesSources else { return nil }
        guard let pauseInterval else { return request.interval }
        return max(pauseInterval, request.interval ?? 0)
    }

    /// True if it is sent one location in each interval.
    var isSpaced: Bool { request.interval != nil && !request.everySource }

    /// True if it lets the receivers never rest.
    var needsReceiversAlways: Bool { makesDemand && restInterval == nil }
}

extension Hub {
    /// Applies a fix of the followed receiver before it is delivered.
    /// - Returns: the watches whose location is due.
    mutating func applyToIntervals(_ fix: Location, at now: BootInstant) -> Set<WatchID> {
        let lead = rests.intervals.lead
        let (served, isGood) = rests.intervals.applyFix(fix, at: now)
        if isGood { rests.search.restart() }
        guard rests.intervals.lead != lead, !rests.intervals.isEmpty else { return served }
        let intervals = rests.intervals
        watches.forEach { _, watch in
            guard watch.request.interval != nil else { return }
            let reason = intervals.reasonToRunOn(for: watch)
            guard (reason == nil) != (watch.restReason == nil) else { return }
            (watch.restReason, watch.isStatusDue) = (reason, true)
        }
        return served
    }
}
