@_spi(Programs) import LocationModel

/// All receivers, and which of them is followed.
///
/// The first with a fix is followed until it loses it; then the best live one is followed at once: lower rank, then
/// three dimensions, then smaller accuracy. A receiver of a lower rank takes over earlier, once its fixes have come
/// without a break for `failoverHysteresis`; in two dimensions too, because the rank is what the administrator prefers.
/// What the followed receiver does in that time makes no difference, unless it loses its fix.
///
/// While a client desires an accuracy, the receivers that have it come before the others, whatever their rank.
struct Receivers {
    private(set) var all: [Receiver] = []
    /// The smallest accuracy that a client desires, metres.
    private var desiredAccuracy: Double?
    private(set) var followed: ReceiverKey?
    /// The last fix by satellites that was believed. Whoever sends near the machine can make positions of a network, so
    /// one that the machine cannot have reached since is held back, however often it comes.
    private var lastBySatellites: PlausibilityFilter.Track?
    /// Bounds the cost of an endless series of hot-plugged devices.
    static let limit = 64

    enum Outcome: Equatable {
        case repeated
        /// Held back, because it cannot be true.
        case implausible(Implausibility)
        case accepted(isFollowed: Bool)
    }

    /// The receiver whose satellites are shown: the followed one while it is live or reports satellites, else the first
    /// of the best rank that does.
    /// - Returns: its index, because each fix asks for it, and a receiver is expensive to copy.
    func indexInFocus(at now: BootInstant, settings: HubSettings) -> Int? {
        if let live = indexOfLive(at: now, settings: settings) { return live }
        let reporting = all.indices.filter { index in
            all[index].satellitesTime.map { now.seconds(since: $0) < Hub.skyLifetime } ?? false
        }
        return reporting.first { $0 == indexOfFollowed } ?? reporting.min { all[$0].key.rank < all[$1].key.rank }
    }

    /// The followed receiver, while its fix is fresh.
    func live(at now: BootInstant, settings: HubSettings) -> Receiver? {
        indexOfLive(at: now, settings: settings).map { all[$0] }
    }

    /// The index of the live receiver.
    func indexOfLive(at now: BootInstant, settings: HubSettings) -> Int? {
        indexOfFollowed.flatMap { all[$0].isLive(at: now, staleAfter: settings.staleAfter) ? $0 : nil }
    }

    /// The followed receiver, whether it has a fix or not.
    var followedReceiver: Receiver? { indexOfFollowed.map { all[$0] } }

    private var indexOfFollowed: Int? { all.indices.first { all[$0].key == followed } }

    /// When the fix of the followed receiver will be stale; `nil` while it has none.
    func staleAt(settings: HubSettings) -> BootInstant? {
        indexOfFollowed.flatMap { all[$0].staleAt(settings.staleAfter) }
    }

    /// - Parameter now: when the location arrived; of a receiver's fix, its own time.
    mutating func applyFix(
        _ location: Location, from key: ReceiverKey, arrived now: BootInstant, settings: HubSettings
    ) -> Outcome {
        let index = index(of: key)
        // A receiver that repeats a fix has stopped; what was measured before it arrives holds when it arrives again.
        guard now > location.monotonicTime || !all[index].isRepeat(location) else { return .repeated }
        // What an administrator has injected or written is meant as it is.
        if key.rank >= 0, location.source.method != .fixedPosition,
            let reason = all[index].objection(
                to: location, by: settings.plausibility, since: lastBySatellites)
        {
            return .implausible(reason)
        }
        all[index].applyFix(location, arrived: now, staleAfter: settings.staleAfter)
        if key.rank >= 0 { rememberFix(location) }
        if desiredAccuracy != nil { all[index].observeAccuracy(isAccurate(all[index])) }
        // The timer for the followed receiver's silence may be late.
        advance(to: now, settings: settings)
        if followed != key, isPreferred(all[index], at: now, settings: settings) { followed = key }
        return .accepted(isFollowed: followed == key)
    }

    /// Network positions are compared with this fix from now on, if satellites gave it.
    mutating func rememberFix(_ location: Location) {
        if location.source.method == .gnss { lastBySatellites = PlausibilityFilter.Track(location) }
    }

    /// Records that a receiver has no fix; if it was the followed one, the best live one is followed instead.
    /// - Parameter isReported: whether the receiver has reported that, instead of nothing.
    mutating func loseFix(of key: ReceiverKey, isReported: Bool, at now: BootInstant, settings: HubSettings) {
        all[index(of: key)].loseFix(isReported: isReported)
        guard followed == key else { return }
        followed = bestLive(at: now, settings: settings) ?? followed
    }

    /// Processes the time: if the followed receiver fell silent, the best live one is followed instead.
    mutating func advance(to now: BootInstant, settings: HubSettings) {
        guard indexOfLive(at: now, settings: settings) == nil else { return }
        followed = bestLive(at: now, settings: settings) ?? followed
    }

    mutating func update(_ key: ReceiverKey, satellites: SatelliteCounts, at time: BootInstant) {
        let index = index(of: key)
        all[index].satellites = satellites
        all[index].satellitesTime = time
    }

    /// The sources of this and higher rank numbers stopped: their receivers no longer have a fix.
    mutating func stop(from rank: Int) {
        for index in all.indices where all[index].key.rank >= rank { all[index].stop() }
    }

    /// The source of this rank stopped.
    mutating func stop(rank: Int) {
        for index in all.indices where all[index].key.rank == rank { all[index].stop() }
    }

    /// The connection with the source of this rank has ended.
    mutating func disconnect(rank: Int) {
        for index in all.indices where all[index].key.rank == rank { all[index].disconnect() }
    }

    /// Whether the clients' desired accuracy alone keeps the source of this rank, which has a fix, from being followed.
    func isPassedOverForAccuracy(_ rank: Int) -> Bool {
        guard desiredAccuracy != nil, let followedReceiver, rank < followedReceiver.key.rank else { return false }
        return isAccurate(followedReceiver) && !all.contains { $0.key.rank == rank && $0.hasFix && isAccurate($0) }
    }

    /// Applies a change of what the clients desire.
    mutating func setDesiredAccuracy(_ accuracy: Double?) {
        guard accuracy != desiredAccuracy else { return }
        desiredAccuracy = accuracy
        for index in all.indices { all[index].forgetAccuracy() }
    }

    /// Whether the receiver's last fix has the accuracy that the clients desire; what is injected has it.
    func isAccurate(_ receiver: Receiver) -> Bool {
        guard let desiredAccuracy, receiver.key.rank >= 0 else { return true }
        return receiver.lastFix?.horizontalAccuracy.map { $0 <= desiredAccuracy } ?? false
    }

    private func isPreferred(_ candidate: Receiver, at now: BootInstant, settings: HubSettings) -> Bool {
        guard let followed, var since = candidate.fixSince else { return false }
        let current = all.first { $0.key == followed }
        let isAccurate = isAccurate(candidate)
        if isAccurate == (current.map(self.isAccurate) ?? false) {
            guard candidate.key.rank < followed.rank else { return false }
        } else if !isAccurate {
            return false
        }
        if desiredAccuracy != nil, isAccurate { since = candidate.accurateSince ?? now }
        // Each source has a thread of its own, so this fix may be older than the one that was last shown.
        if let shown = current?.lastFix, now < shown.monotonicTime { return false }
        return candidate.key.rank < 0 || now.seconds(since: since) >= settings.failoverHysteresis
    }

    private func bestLive(at now: BootInstant, settings: HubSettings) -> ReceiverKey? {
        func order(_ receiver: Receiver) -> (Int, Int, Int, Double) {
            (
                isAccurate(receiver) ? 0 : 1, receiver.key.rank, receiver.lastFix?.mode == .threeDimensional ? 0 : 1,
                receiver.lastFix?.horizontalAccuracy ?? .infinity
            )
        }
        return all.filter { $0.isLive(at: now, staleAfter: settings.staleAfter) }
            .min { order($0) < order($1) }?.key
    }

    private mutating func index(of key: ReceiverKey) -> Int {
        if let index = all.firstIndex(where: { $0.key == key }) { return index }
        if all.count >= Self.limit {
            let others = all.indices.filter { all[$0].key != followed }
            if let oldest = others.first(where: { !all[$0].hasFix }) ?? others.first { all.remove(at: oldest) }
        }
        all.append(Receiver(key: key))
        return all.count - 1
    }
}

/// A receiver: the rank of its source (0 is preferred; negative is injected by hand) and its device.
package struct ReceiverKey: Sendable, Hashable {
    package let rank: Int
    package let device: String?
}

/// The state of one receiver.
struct Receiver {
    let key: ReceiverKey
    private(set) var lastFix: Location?
    /// When that arrived last.
    private var heard: BootInstant?
    /// When the present run of fixes began; `nil` while there is no fix.
    private(set) var fixSince: BootInstant?
    /// Since when its fixes have had the accuracy that the clients desire; `nil` if the last one has not.
    private(set) var accurateSince: BootInstant?
    private(set) var epoch = EpochEstimate()
    /// False until a fix came since the source last stopped.
    private(set) var isSameRun = false
    /// Whether the receiver has reported that it has no fix, since the last one.
    private(set) var hasReportedNoFix = false
    /// Whether the connection with its source has ended since its last fix.
    private(set) var wasDisconnected = false
    /// The last fix that was held back since one was believed, and whether by comparison with a fix by satellites.
    private(set) var heldBack: (fix: Location, reason: Implausibility, isOutOfReach: Bool)?
    private var plausibility = PlausibilityFilter()
    var satellites: SatelliteCounts?
    var satellitesTime: BootInstant?

    init(key: ReceiverKey) {
        self.key = key
    }

    var hasFix: Bool { fixSince != nil }

    /// Whether its last fix is this one.
    func gave(_ location: Location) -> Bool { lastFix?.monotonicTime == location.monotonicTime }

    /// Whether its last fix was measured before it arrived.
    var isHeld: Bool { if let heard, let lastFix { heard > lastFix.monotonicTime } else { false } }

    /// True if the fix repeats the previous one exactly: the same device and time, everything equal, whatever the
    /// receiver reported in between in the same run. Without a time every fix counts.
    func isRepeat(_ location: Location) -> Bool {
        guard location.timestamp != nil else { return false }
        if let heldBack, location.saysTheSame(as: heldBack.fix) { return true }
        return isSameRun && lastFix.map(location.saysTheSame(as:)) ?? false
    }

    /// Judges a fix.
    ///
    /// - Parameter former: the last one by satellites, of any receiver.
    /// - Returns: why it is held back; `nil` if it is believed.
    mutating func objection(
        to location: Location, by settings: PlausibilitySettings, since former: PlausibilityFilter.Track?
    ) -> Implausibility? {
        let isOutOfReach =
            location.source.method == .network
            && former.map { PlausibilityFilter.isOutOfReach(location, of: $0, by: settings) } == true
        let reason = isOutOfReach ? .jump : plausibility.judge(location, by: settings)
        heldBack = reason.map { (location, $0, isOutOfReach) }
        return reason
    }

    mutating func applyFix(_ location: Location, arrived: BootInstant, staleAfter: Double) {
        isSameRun = true
        hasReportedNoFix = false
        wasDisconnected = false
        if let heard, arrived.seconds(since: heard) >= lossTimeout(staleAfter) { fixSince = nil }
        epoch.observe(location, arrived: arrived)
        (lastFix, heard) = (location, arrived)
        if fixSince == nil { fixSince = arrived }
    }

    /// - Parameter isAccurate: whether the last fix has the accuracy that the clients desire.
    mutating func observeAccuracy(_ isAccurate: Bool) {
        guard isAccurate, let fixSince, let heard else { return accurateSince = nil }
        accurateSince = max(fixSince, accurateSince ?? heard)
    }

    /// The connection with its source ends: that it sends nothing is not its fault.
    mutating func disconnect() { wasDisconnected = true }

    /// The clients desire another accuracy.
    mutating func forgetAccuracy() { accurateSince = nil }

    mutating func loseFix(isReported: Bool) {
        fixSince = nil
        accurateSince = nil
        if isReported { hasReportedNoFix = true }
    }

    /// Stops listening to it; the time until it resumes is no epoch.
    mutating func stop() {
        fixSince = nil
        accurateSince = nil
        hasReportedNoFix = false
        wasDisconnected = false
        heldBack = nil
        epoch.pause()
        isSameRun = false
    }

    /// How long its last fix is fresh.
    func lossTimeout(_ staleAfter: Double) -> Double {
        max(staleAfter, 3 * (epoch.interval ?? 0))
    }

    /// When its fix will be stale; `nil` while it has none.
    func staleAt(_ staleAfter: Double) -> BootInstant? {
        guard hasFix, let heard else { return nil }
        return heard.advanced(bySeconds: lossTimeout(staleAfter))
    }

    func isLive(at now: BootInstant, staleAfter: Double) -> Bool {
        staleAt(staleAfter).map { now < $0 } ?? false
    }
}

/// A receiver's epoch, estimated from its last gaps between fixes.
///
/// The median of the last three counts: one long gap is an outage, one short gap is two reports of an epoch before the
/// receiver has a time; two long gaps are a slow receiver.
struct EpochEstimate {
    private var gaps: [Double] = []
    private var lastTime: UTCTime?
    private var lastArrival: BootInstant?

    /// Seconds from one epoch to the next; `nil` until there were two.
    private(set) var interval: Double?

    /// Excludes the time until the next fix from the gaps.
    mutating func pause() {
        lastArrival = nil
    }

    mutating func observe(_ location: Location, arrived: BootInstant) {
        let isOfReceiver = arrived == location.monotonicTime
        if isOfReceiver, let time = location.timestamp, time == lastTime { return }
        if let lastArrival {
            gaps.append(arrived.seconds(since: lastArrival))
            if gaps.count > 3 { gaps.removeFirst() }
            interval = gaps.sorted()[(gaps.count - 1) / 2]
        }
        lastArrival = arrived
        lastTime = location.timestamp
    }
}
