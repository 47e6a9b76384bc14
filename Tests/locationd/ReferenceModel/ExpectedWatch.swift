@_spi(Programs) package import LocationModel

/// One watch: which fixes it must be sent, held back, or counted as lost, computed without a look at the daemon's
/// state.
package struct ExpectedWatch {
    package let request: WatchRequest
    package private(set) var view: ExpectedView
    /// A fix that was due at once and has not come.
    package private(set) var owed: Int64?
    /// The newest that waits for the client to read on.
    package private(set) var held: Int64?
    /// Fixes it has lost that `dropped` has yet to report.
    package private(set) var lost = 0
    /// Fixes it has lost that `dropped` has reported.
    package private(set) var reported = 0
    /// False once fixes were decided about that cannot be foreseen.
    package private(set) var isExact = true
    package private(set) var delivered = 0
    /// Fixes that are to come together, and when each was numbered.
    private var batch: [(sequence: Int64, since: BootInstant)] = []
    /// A client that did not read may have lost some of them.
    private var mayHaveLostOfBatch = false
    /// True while the client has not read all it was sent.
    package var isBehind = false {
        didSet {
            guard isBehind else { return }
            wasBehindInPause = true
            mayHaveLostOfBatch = true
        }
    }
    /// Whether the client was told that it is paused.
    package private(set) var isPaused = false
    /// A fix came after which the client has to be told that it is paused.
    package private(set) var mustPause = false
    /// The last location of a watch with an interval, and whether the receivers have started since.
    private var lastOfInterval: (fix: Location?, isBeforeStart: Bool) = (nil, false)
    /// What it was sent in its pause may have been due before.
    private var wasBehindInPause = false
    private var anchor: Location?
    /// The newest fix that was decided about, and that as of when the filter began anew.
    private var newest: Int64 = 0
    private var forgotten: Int64 = 0
    /// Whether the client must know that its required accuracy holds back everything; `nil` if that is not foreseen.
    package private(set) var isExplained: Bool?
    /// Since when at most, and since when at least, all locations were not accurate enough.
    private var refused: (certain: BootInstant?, possible: BootInstant?) = (nil, nil)

    init(_ request: WatchRequest, view: ExpectedView) {
        self.request = request
        self.view = view
        isExplained = view == .full ? false : nil
    }

    package var makesDemand: Bool {
        guard view != .nothing, !request.passive else { return false }
        return request.location || view == .full && (request.heading || request.satellites)
    }

    /// Whether it lets the receivers never rest: an interval or a pause does, for who sees every fix.
    package var needsReceiversAlways: Bool {
        switch view {
        case .full, .paced: makesDemand && request.interval == nil && !mayBePaused
        case .nothing, .reduced: makesDemand
        }
    }

    /// Whether it is sent one location in each interval.
    package var isSpaced: Bool { request.interval != nil && !request.everySource }

    /// Whether it must know that its interval lets the receivers never rest: they do so for 20 s at least, and start 2
    /// s or more before a location is due.
    package var mustKnowOfNoRest: Bool {
        guard let interval = request.interval, interval < 22, makesDemand else { return false }
        switch view {
        case .full, .paced: return true
        case .nothing, .reduced: return false
        }
    }

    /// Whether every source must run for it.
    package var needsEverySource: Bool {
        makesDemand && request.location && request.everySource && view == .full && !mayBePaused
    }

    /// Whether the daemon may have paused it; a client that is behind has yet to be told.
    private var mayBePaused: Bool { isPaused || request.pausesAutomatically && isBehind }

    /// Seconds for which the machine must have been stationary before it is paused; `nil` if it never is.
    package var pauseDelay: Double? {
        guard request.pausesAutomatically, makesDemand else { return nil }
        switch (view, request.activityType) {
        case (.nothing, _), (.reduced, _): return nil
        case (_, .fitness): return 60
        case (_, nil), (_, .other): return 120
        default: return 300
        }
    }

    /// Whether it is to know the state of the sources.
    package var seesSources: Bool {
        switch view {
        case .full, .paced: true
        case .nothing, .reduced: makesDemand
        }
    }

    /// All it has lost so far, reported or not; `nil` while that cannot be foreseen.
    package var totalLost: Int? {
        guard isExact, request.maximumDelay == nil || !isBehind else { return nil }
        return reported + lost
    }

    /// What is wrong with what is held, when nothing is under way; a client that does not read has to wait.
    package func complaint(aboutBatchAt now: BootInstant) -> String? {
        guard let delay = request.maximumDelay, !isBehind, let first = batch.first else { return nil }
        if now.seconds(since: first.since) > delay + 0.001 { return "fix \(first.sequence) is held for too long" }
        let limit = min(96, request.maximumUpdates.map { $0 - delivered } ?? 96)
        return batch.count >= limit ? "\(batch.count) fixes are held, and \(limit) are enough" : nil
    }

    mutating func changeView(to view: ExpectedView) {
        lastOfInterval.fix = nil
        guard view != self.view else { return }
        let isGranted = self.view == .nothing
        self.view = view
        held = nil
        // How many of them the daemon had counted as lost before is not known.
        if mayHaveLostOfBatch, !batch.isEmpty { isExact = false }
        batch = []
        // What a reduced or paced view shows at once may be held for it, and lost.
        if isGranted, view != .full { isExact = isExact && !isBehind && request.maximumDelay == nil }
        mustPause = false
        forgetAnchor()
    }

    /// The client was sent a status.
    mutating func receiveStatus(isPaused: Bool) {
        if isPaused { mustPause = false }
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        wasBehindInPause = isBehind
        if isPaused { forgetAnchor() }
    }

    /// Looks after what was due at once.
    mutating func forgetDues() { mustPause = false }

    /// The daemon reported that there is no fix any more.
    mutating func forgetAnchor() {
        anchor = nil
        lastOfInterval.fix = nil
        forgotten = newest
        refused = (nil, nil)
        isExplained = view == .full ? false : nil
    }

    /// The first reply came without the last location, which may have been fresh and not accurate enough.
    mutating func begin(without last: Location, isFresh: Bool) {
        guard request.location, !isAccurate(last.horizontalAccuracy) else { return }
        refused = (isFresh ? last.monotonicTime : nil, last.monotonicTime)
        if view != .full { isExplained = nil }
    }

    /// For three seconds nothing is said: a receiver that has just found a position improves quickly.
    private mutating func observeAccuracy(of fix: Location) {
        guard !isAccurate(fix.horizontalAccuracy) else {
            refused = (nil, nil)
            return isExplained = view == .full ? false : nil
        }
        let now = fix.monotonicTime
        refused = (refused.certain ?? now, refused.possible ?? now)
        func hasLasted(since start: BootInstant?) -> Bool { start.map { now.seconds(since: $0) >= 3 } ?? false }
        guard view == .full else { return isExplained = nil }
        if hasLasted(since: refused.certain) {
            isExplained = true
        } else if hasLasted(since: refused.possible), isExplained == false {
            isExplained = nil
        }
    }

    /// The receivers start: what they find may serve a watch with an interval before that is over.
    mutating func startReceivers() { lastOfInterval.isBeforeStart = true }

    /// The location of an interval came.
    private mutating func receiveOfInterval(_ fix: Location) -> String? {
        defer { lastOfInterval = (fix, false) }
        guard let interval = request.interval, let last = lastOfInterval.fix, !lastOfInterval.isBeforeStart, !isBehind,
            request.maximumDelay == nil, !request.pausesAutomatically
        else { return nil }
        // One that is late does not delay the next.
        let gap = fix.monotonicTime.seconds(since: last.monotonicTime)
        return gap + 1.501 < interval
            ? "it gets \(fix.sequence) \(gap) s after the last, and wants one in \(interval) s" : nil
    }

    /// The first reply has this location.
    mutating func begin(with fix: Location) {
        anchor = fix
        lastOfInterval = (fix, false)
        delivered += 1
    }

    func admits(_ fix: Location) -> Bool {
        guard isAccurate(fix.horizontalAccuracy) else { return false }
        guard let anchor else { return true }
        if let interval = minimumInterval, Self.elapsed(anchor, fix) + 0.0005 < interval { return false }
        if let distance = distanceFilter, anchor.coordinate.distance(to: fix.coordinate) < distance {
            return false
        }
        return true
    }

    /// The watch's own filters, or those of its activity.
    private var minimumInterval: Double? {
        if let interval = request.minimumInterval { return interval }
        switch request.activityType {
        case .automotiveNavigation, .fitness, .otherNavigation: return 1
        case .other, .airborne, nil: return nil
        }
    }

    private var distanceFilter: Double? {
        if let distance = request.distanceFilter { return distance }
        switch request.activityType {
        case .fitness: return 3
        case .otherNavigation: return 10
        case .other, .automotiveNavigation, .airborne, nil: return nil
        }
    }

    /// Whether a fix of this accuracy, in metres, satisfies the request.
    func isAccurate(_ accuracy: Double?) -> Bool {
        guard let limit = request.requiredAccuracy else { return true }
        return accuracy.map { $0 <= limit } ?? false
    }

    /// Between two fixes, by the receiver's clock where it agrees with ours to half a second, else by ours.
    private static func elapsed(_ one: Location, _ other: Location) -> Double {
        let ours = other.monotonicTime.seconds(since: one.monotonicTime)
        guard let begin = one.timestamp, let end = other.timestamp else { return ours }
        let theirs = end.seconds(since: begin)
        return abs(theirs - ours) <= 0.5 ? max(ours, theirs) : ours
    }

    /// A fix was numbered.
    mutating func observeFix(_ fix: Location, isFollowed: Bool, _ movement: ExpectedMovement) {
        guard request.location, view != .nothing else { return }
        if isFollowed, let pauseDelay, movement.mustBeStationary(for: pauseDelay), !isPaused, !isBehind {
            mustPause = true
        }
        if mayBePaused, request.pausesAutomatically {
            let isCertain = isFollowed && !isBehind && !movement.mayBeStationary(for: 60, at: fix.monotonicTime)
            guard isCertain else {
                isExact = false
                isExplained = nil
                refused = (nil, isAccurate(fix.horizontalAccuracy) ? nil : refused.possible ?? fix.monotonicTime)
                return
            }
        }
        guard view == .full else {
            observeAccuracy(of: fix)
            return isExact = isExact && !isBehind && request.maximumDelay == nil
        }
        guard isFollowed || request.everySource else { return }
        newest = fix.sequence
        observeAccuracy(of: fix)
        // Which of them is its location depends on how long the receivers took to start.
        guard !isSpaced else { return isExact = false }
        // What the filter compares with is not known until a location is sent.
        guard isExact || !request.pausesAutomatically else { return }
        guard admits(fix) else { return }
        anchor = fix
        if request.maximumDelay != nil { return batch.append((fix.sequence, fix.monotonicTime)) }
        guard isBehind else { return owed = fix.sequence }
        if held != nil { lost += 1 }
        held = fix.sequence
    }

    /// Fixes were lost before the daemon saw them.
    mutating func loseFixes(_ count: Int) {
        if request.location, view == .full { lost += count }
    }

    /// What was held is never sent.
    /// - Parameter sendsBatches: whether a client that reads is sent its batch before.
    mutating func forgetHeld(sendsBatches: Bool) {
        if held != nil { lost += 1 }
        held = nil
        guard isBehind || !sendsBatches else { return }
        lost += batch.count
        batch = []
    }

    /// Takes a location out of the batch, of which a client that does not read loses the oldest.
    private mutating func receiveOfBatch(_ sequence: Int64) -> Bool {
        guard let index = batch.firstIndex(where: { $0.sequence == sequence }), index == 0 || mayHaveLostOfBatch
        else { return false }
        lost += index
        batch.removeFirst(index + 1)
        mayHaveLostOfBatch = isBehind
        return true
    }

    /// A status that was held reports losses before the location that remains.
    private mutating func loseOfBatch(_ count: Int) {
        guard count > 0, mayHaveLostOfBatch, count <= batch.count else { return }
        lost += count
        batch.removeFirst(count)
    }

    /// A reply after the first one came.
    /// - Parameter fix: the location in it as the source told it, if that is known.
    /// - Returns: what is wrong with it.
    mutating func receive(_ reply: ExpectedReply, fix: Location?) -> String? {
        if reply.hasHeading, !request.heading { return "it gets a heading it did not ask for" }
        if reply.hasSatellites, !request.satellites { return "it gets satellites it did not ask for" }
        if reply.location == nil { loseOfBatch(reply.dropped - lost) }
        let isOfBatch = reply.location.map { receiveOfBatch($0.sequence) } ?? false
        lost -= reply.dropped
        reported += reply.dropped
        if !isExact { lost = max(0, lost) }
        if lost < 0 { return "it is told of \(reply.dropped) lost fixes, \(-lost) too many" }
        guard let location = reply.location else { return nil }
        let sequence = location.sequence
        if !request.location { return "it gets a location it did not ask for" }
        if !isAccurate(location.accuracy) { return "it gets a location less accurate than it asked for" }
        delivered += 1
        if isPaused, !wasBehindInPause { return "it gets \(sequence) while it is paused" }
        let isLast = request.maximumUpdates.map { delivered >= $0 } ?? false
        if isLast != reply.isFinal {
            return "reply \(delivered) of at most \(request.maximumUpdates ?? 0) is wrongly final, or not"
        }
        // Of a batch several come without a fix in between.
        guard view == .full, isExact, !isSpaced else {
            if view == .full, isSpaced, let fix, let complaint = receiveOfInterval(fix) { return complaint }
            (lost, isExact) = (0, true)
            if request.pausesAutomatically { anchor = sequence > forgotten ? fix : nil }
            if owed == sequence { owed = nil }
            if held == sequence { held = nil }
            return nil
        }
        if lost != 0 { return "it lost \(lost) fixes before \(sequence) and is not told" }
        if isOfBatch { return nil }
        let due = owed ?? held
        if owed != nil { owed = nil } else { held = nil }
        return sequence == due ? nil : "it gets \(sequence) when \(due.map(String.init) ?? "nothing") is due"
    }
}
