import LocationEstimate
@_spi(Programs) import LocationModel

/// A watch, by its slot in the hub; slots are reused after a watch ended.
package struct WatchID: Sendable, Hashable {
    package let slot: Int
    package init(slot: Int) { self.slot = slot }
}

/// One subscription: its request, its permission, and what it has yet to receive.
///
/// Each fix passes every watch: its many properties stand side by side, because a further struct would be copied each
/// time.
struct Watch {
    let request: WatchRequest
    /// Whose share of the receivers' time it adds to.
    var account: Int?
    private(set) var permission: Permission
    /// The view it has of each fix.
    private(set) var view: View {
        didSet {
            seesAll = view == .full
            receivesFixes = seesAll && !request.estimate
        }
    }
    /// Whether the view is the full one, cached because each fix needs it.
    private(set) var seesAll: Bool
    /// Whether it sees each fix as it is, and not what is estimated; cached for the same reason.
    private(set) var receivesFixes: Bool
    /// True while the client has not read all it was sent; updates then go to the backlog.
    var isBehind = false
    /// True while updates wait for something other than the client; they go to the backlog, too.
    var isHeldBack = false
    /// The newest version of the monitors that is persisted, for updates that wait for it.
    var persistedRevision = 0
    var backlog = Backlog()
    /// What is held for a watch with a maximum delay; `nil` for one without.
    private var batch: Batch?
    /// Locations lost since the last reply that reported it.
    private(set) var unreported = 0
    private(set) var totalDropped = 0
    /// Which estimator's estimates it receives.
    let agility: Agility
    private var remaining: Int?
    private let filter: LocationFilter
    /// The present series of locations that its required accuracy holds back.
    private var heldBack: HeldBack?
    /// Why the receivers do not rest between its locations, in words; `nil` if they do, or are not meant to.
    var restReason: String?
    /// True if the client has to be sent its status, because ``ownReason`` has changed.
    var isStatusDue = false
    private var anchor: LocationFilter.Anchor?
    private let headingFilter: HeadingFilter?
    /// When the last location was that its view showed in time.
    private var lastShown: BootInstant?
    /// The last heading that its filter admitted.
    private var lastHeading: Heading?
    /// How often the receivers are started for it while it is paused, seconds; `nil` while it is not.
    private(set) var pauseInterval: Double?

    init(request: WatchRequest, permission: Permission) {
        self.request = request
        self.permission = permission.limited(to: request)
        view = self.permission.view
        seesAll = view == .full
        receivesFixes = seesAll && !request.estimate
        agility = Agility(request.activityType)
        remaining = request.maximumUpdates
        filter = request.filter
        headingFilter = request.headingFilter.map(HeadingFilter.init)
        batch = request.maximumDelay.map { Batch(delay: $0) }
    }

    /// Headings and satellites alone make no demand without full accuracy, which they need.
    var makesDemand: Bool { request.makesDemand && permission.mayReceive && (request.location || seesAll) }

    /// Headings need full accuracy.
    var needsCompasses: Bool { makesDemand && request.heading && seesAll }

    /// Without full accuracy a watch sees the followed source alone, whatever it asks for.
    var needsEverySource: Bool { makesDemand && request.location && request.everySource && seesAll && !isPaused }

    /// True if it sees estimates of all fixes.
    var receivesEstimates: Bool { seesAll && request.estimate }

    /// The accuracy, metres, that sources are chosen for.
    var desiredAccuracy: Double? { makesDemand && seesAll && !isPaused ? request.desiredAccuracy : nil }

    /// True while it receives no locations because the machine is stationary.
    var isPaused: Bool { pauseInterval != nil }

    /// Seconds for which the machine has to be stationary before the watch pauses; `nil` if it never does.
    ///
    /// Only for clients that see every fix, as ``restInterval``.
    var pauseDelay: Double? {
        guard request.pausesAutomatically, makesDemand, permission.seesSources else { return nil }
        return (request.activityType ?? .other).pauseDelay
    }

    /// Pauses the watch: the location after the pause is then sent, however near it is.
    mutating func pause(checking interval: Double) {
        pauseInterval = interval
        forgetAnchor()
    }

    /// Ends the pause.
    mutating func resume() { pauseInterval = nil }

    enum Verdict {
        /// Filtered, not allowed, or held in the backlog.
        case nothing
        /// To be held for this watch, until several are sent together.
        case delayed
        /// Send the bytes that all watches share.
        case ordinary
        /// Send this, encoded for this watch alone. Indirect, because it is rare, and an update is too large to be
        /// passed for each watch.
        indirect case own(WatchUpdate)
    }

    /// Changes the permission; without permission nothing held is ever sent, and the filter forgets locations of
    /// another view.
    mutating func permit(_ permission: Permission) {
        let permission = permission.limited(to: request)
        self.permission = permission
        pauseInterval = nil
        guard view != permission.view else { return }
        view = permission.view
        backlog.forgetPositions()
        _ = batch?.removeAll()
        forgetAnchor()
        (lastHeading, lastShown) = (nil, nil)
    }

    /// Discards the locations that are held, if the permission gives another view.
    mutating func forgetBatch(unlessSeenBy permission: Permission) {
        if permission.limited(to: request).view != view { _ = batch?.removeAll() }
    }

    /// Forgets the last location, because the client learns that there is no fix: the next one is sent, however near it
    /// is.
    mutating func forgetAnchor() {
        anchor = nil
        heldBack = nil
    }

    /// Why it receives no locations although there are some, in words; `nil` while it receives them.
    private var filterReason: String? { heldBack?.reason }

    /// What its client is told beside the state of the sources, in words.
    var ownReason: String? { filterReason ?? restReason }

    /// Observes whether its required accuracy holds a location back.
    private mutating func observeAccuracy(of location: Location, required: Double) {
        guard !filter.acceptsAccuracy(of: location) else {
            if filterReason != nil { isStatusDue = true }
            return heldBack = nil
        }
        var held = heldBack ?? HeldBack(since: location.monotonicTime)
        defer { heldBack = held }
        guard held.reason == nil else { return }
        held.best = [held.best, location.horizontalAccuracy].compactMap(\.self).min()
        // Locations of another view than the full one come minutes apart.
        guard !seesAll || location.monotonicTime.seconds(since: held.since) >= HeldBack.delay else { return }
        held.reason = held.explanation(required: required)
        isStatusDue = true
    }

    /// True if it wants fixes of this kind; its view decides what it sees of them.
    func wants(isFollowed: Bool) -> Bool {
        request.location && !isPaused && (isFollowed || request.everySource && seesAll)
    }

    /// Whether its interval is over, for a view that does not show each fix.
    /// - Parameter lead: how long before that the receivers are started, seconds; what they then find counts.
    mutating func isIntervalOver(with shown: Location, lead: Double) -> Bool {
        guard isSpaced, let interval = request.interval else { return true }
        if let lastShown, shown.monotonicTime.seconds(since: lastShown) + lead < interval { return false }
        lastShown = shown.monotonicTime
        return true
    }

    /// Decides what to send of a new fix as its view shows it.
    /// - Parameters:
    ///   - point: of the location, once it is computed.
    ///   - isDue: false if its interval has had its location.
    mutating func consider(_ location: Location, at point: inout SurfacePoint?, isDue: Bool = true) -> Verdict {
        if let required = filter.requiredAccuracy { observeAccuracy(of: location, required: required) }
        guard isDue else { return .nothing }
        if filter.needsAnchor {
            guard filter.admits(location, at: &point, since: anchor) else { return .nothing }
            anchor = .init(location)
        } else {
            guard filter.acceptsAccuracy(of: location) else { return .nothing }
        }
        if batch != nil { return .delayed }
        if isBehind || remaining != nil || unreported > 0 { return considerAlone(location) }
        return .ordinary
    }

    /// For a location that is not sent to this watch as to the others; apart, because it copies the location.
    @inline(never)
    private mutating func considerAlone(_ location: Location) -> Verdict {
        guard isBehind else { return .own(finished(WatchUpdate(location: location))) }
        countLost(backlog.hold(location: location))
        return .nothing
    }

    /// Whether to send a new heading.
    mutating func admits(_ heading: Heading) -> Bool {
        guard request.heading, permission.maySeeAll else { return false }
        guard let headingFilter else { return true }
        guard headingFilter.admits(heading, since: lastHeading) else { return false }
        lastHeading = heading
        return true
    }

    /// The reply that opens the watch: the status and, if there is a fresh one and it fits, the location.
    mutating func opening(status: ServiceStatus, fresh: Location?) -> WatchUpdate {
        guard let fresh, request.location else { return WatchUpdate(status: status) }
        if let required = request.requiredAccuracy { observeAccuracy(of: fresh, required: required) }
        isStatusDue = false
        let status = status.explained(by: self)
        guard filter.admits(fresh, since: nil) else { return WatchUpdate(status: status) }
        anchor = .init(fresh)
        lastShown = fresh.monotonicTime
        return finished(WatchUpdate(status: status, location: fresh))
    }

    /// The reply with which the daemon ends the watch; held locations count as lost.
    mutating func closing(status: ServiceStatus) -> WatchUpdate {
        countLost(forgetHeldPositions())
        var update = finished(WatchUpdate(status: status))
        update.isFinal = true
        return update
    }

    /// Drops everything that is held and contains a position.
    /// - Returns: the number of locations dropped.
    mutating func forgetHeldPositions() -> Int {
        backlog.forgetPositions() + (batch?.removeAll().count ?? 0)
    }

    /// The next update held, or `nil` when the watch has caught up.
    mutating func popHeld() -> WatchUpdate? {
        let revision = isHeldBack ? backlog.items.first?.revision ?? 0 : 0
        guard revision <= persistedRevision, var update = backlog.popFirst() else {
            isBehind = false
            return nil
        }
        update.revision = nil
        return finished(update)
    }

    /// Holds a location until several are sent together.
    /// - Returns: when they are, if this is the first one.
    mutating func hold(_ location: HeldLocation, at now: BootInstant) -> BootInstant? {
        let isFirst = batch?.locations.isEmpty ?? true
        let capacity = batchCapacity
        countLost(batch?.hold(location, capacity: capacity) ?? 0)
        return isFirst ? batch?.deadline(at: now) : nil
    }

    private var batchCapacity: Int { min(Batch.limit, remaining ?? Batch.limit) }

    /// Whether no more locations can be held, so that they are sent before their time.
    var isBatchComplete: Bool { batch.map { $0.locations.count >= batchCapacity } ?? false }

    /// The locations that are held; `nil` if there are none, or the client is behind.
    mutating func releaseBatch() -> (locations: [HeldLocation], dropped: Int, isFinal: Bool)? {
        guard !isBehind, let locations = batch?.removeAll(), !locations.isEmpty else { return nil }
        defer { unreported = 0 }
        remaining = remaining.map { $0 - locations.count }
        return (locations, unreported, remaining.map { $0 <= 0 } ?? false)
    }

    /// Before a status is held for a client that is behind: the newest location is to come first, and what is older is
    /// lost, as for any watch.
    /// - Returns: the number of locations dropped.
    mutating func holdNewestOfBatch() -> Int {
        guard var locations = batch?.removeAll(), let newest = locations.popLast() else { return 0 }
        let lost = locations.count + backlog.hold(location: newest.value)
        countLost(lost)
        return lost
    }

    /// Counts locations that the client should have seen and will not.
    mutating func countLost(_ count: Int) {
        unreported += count
        totalDropped += count
    }

    /// Counts fixes that the mailbox dropped, for a watch that may see any. What its filter would have passed is
    /// unknown.
    mutating func countOverflow(_ count: Int) {
        guard request.location, seesAll else { return }
        countLost(count)
    }

    /// Adds what every reply encoded for one watch has: the count of lost locations, and whether it is the last.
    private mutating func finished(_ update: WatchUpdate) -> WatchUpdate {
        var update = update
        update.dropped = unreported
        unreported = 0
        if update.location != nil, let left = remaining {
            remaining = left - 1
            update.isFinal = left <= 1
        }
        return update
    }
}

/// A series of locations that a watch's required accuracy holds back.
private struct HeldBack {
    /// Seconds that it lasts before the client is told: a receiver that has just found a position improves quickly.
    static let delay = 3.0

    let since: BootInstant
    /// The smallest accuracy among them, metres; `nil` if none is known.
    var best: Double?
    /// What the client is told; `nil` before that.
    var reason: String?

    init(since: BootInstant) {
        self.since = since
    }

    func explanation(required: Double) -> String {
        let own = "this watch requires \(Self.text(required)) m"
        guard let best else { return "the locations have no known accuracy, and \(own); without it they pass" }
        return "the best location is accurate to \(Self.text(best)) m, and \(own); "
            + "\(Self.text(best.rounded(.up))) or more would pass"
    }

    private static func text(_ metres: Double) -> String { Int(exactly: metres).map(String.init) ?? "\(metres)" }
}

extension ServiceStatus {
    /// The status with the watch's own reason, where there is no other.
    func explained(by watch: Watch) -> Self {
        guard let reason = watch.ownReason, source == .tracking, self.reason == nil else { return self }
        var status = self
        status.reason = reason
        return status
    }
}

extension WatchRequest {
    /// True if the watch needs receivers to run.
    var makesDemand: Bool { !passive && (location || heading || satellites) }

    /// A monitor is a watch that receives status, and events in place of fixes.
    static var monitor: Self {
        var request = Self()
        request.location = false
        return request
    }
}
