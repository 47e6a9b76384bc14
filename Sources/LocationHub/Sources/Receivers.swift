import LocationModel

/// All receivers, and which of them is followed.
///
/// The first that has a fix is followed until it loses it; then the best live one is, at once: lower rank, three
/// dimensions, smaller accuracy. A receiver of a lower rank number takes over earlier, once its fixes have come without
/// a break for `failoverHysteresis` up to then; in two dimensions too, because the rank is what the administrator
/// prefers. What the followed one does meanwhile makes no difference, but that it may lose its fix.
struct Receivers {
    private(set) var all: [Receiver] = []
    private(set) var followed: ReceiverKey?
    /// A slow receiver speaks seldom; this bounds what an endless parade of hot-plugged devices may cost.
    static let limit = 64

    enum Outcome: Equatable {
        case repeated
        case taken(isFollowed: Bool)
    }

    /// The receiver whose sky is shown: the followed one while it is live or tells of its sky, else the first of the
    /// best rank that does.
    func inFocus(at now: BootInstant, settings: HubSettings) -> Receiver? {
        let telling = all.filter { $0.satellitesTime.map { now.seconds(since: $0) < Hub.skyLifetime } ?? false }
        return live(at: now, settings: settings) ?? telling.first { $0.key == followed }
            ?? telling.min { $0.key.rank < $1.key.rank }
    }

    /// The followed receiver, while its fix is fresh.
    func live(at now: BootInstant, settings: HubSettings) -> Receiver? {
        all.first { $0.key == followed && $0.isLive(at: now, staleAfter: settings.staleAfter) }
    }

    mutating func applyFix(_ location: Location, from key: ReceiverKey, settings: HubSettings) -> Outcome {
        let now = location.monotonicTime
        let index = index(of: key)
        guard all[index].applyFix(location, staleAfter: settings.staleAfter) else { return .repeated }
        // The timer that would have told of the followed one's silence may be late.
        advance(to: now, settings: settings)
        if followed != key, takesOver(all[index], at: now, settings: settings) { followed = key }
        return .taken(isFollowed: followed == key)
    }

    /// The receiver says it has no fix; if it was the followed one, the best live one is followed instead.
    mutating func loseFix(of key: ReceiverKey, at now: BootInstant, settings: HubSettings) {
        all[index(of: key)].loseFix()
        guard followed == key else { return }
        followed = bestLive(at: now, settings: settings) ?? followed
    }

    /// Time passed: a followed receiver that fell silent gives way to the best live one.
    mutating func advance(to now: BootInstant, settings: HubSettings) {
        guard live(at: now, settings: settings) == nil else { return }
        followed = bestLive(at: now, settings: settings) ?? followed
    }

    mutating func update(_ key: ReceiverKey, satellites: [Satellite], at time: BootInstant) {
        let index = index(of: key)
        all[index].satellites = satellites
        all[index].satellitesTime = time
    }

    /// The sources of this rank and below stopped: their receivers have no fix any more.
    mutating func stop(from rank: Int) {
        for index in all.indices where all[index].key.rank >= rank { all[index].stop() }
    }

    private func takesOver(_ candidate: Receiver, at now: BootInstant, settings: HubSettings) -> Bool {
        guard let followed, candidate.key.rank < followed.rank, let since = candidate.fixSince else { return false }
        // Sources are read by threads of their own: this fix may be older than what everybody has seen.
        let shown = all.first { $0.key == followed }?.lastFix
        if let shown, now < shown.monotonicTime { return false }
        return candidate.key.rank < 0 || now.seconds(since: since) >= settings.failoverHysteresis
    }

    private func bestLive(at now: BootInstant, settings: HubSettings) -> ReceiverKey? {
        func merit(_ receiver: Receiver) -> (Int, Int, Double) {
            (
                receiver.key.rank, receiver.lastFix?.mode == .threeDimensional ? 0 : 1,
                receiver.lastFix?.horizontalAccuracy ?? .infinity
            )
        }
        return all.filter { $0.isLive(at: now, staleAfter: settings.staleAfter) }
            .min { merit($0) < merit($1) }?.key
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

/// What is known of one receiver.
struct Receiver {
    let key: ReceiverKey
    private(set) var lastFix: Location?
    /// When the present run of fixes began; `nil` while there is no fix.
    private(set) var fixSince: BootInstant?
    private(set) var epoch = EpochEstimate()
    /// False until a fix came since the source last stopped.
    private(set) var isSameRun = false
    var satellites: [Satellite]?
    var satellitesTime: BootInstant?

    init(key: ReceiverKey) {
        self.key = key
    }

    var hasFix: Bool { fixSince != nil }

    /// - Returns: false if the fix repeats the one before exactly: the same device and time, everything equal, whatever
    ///   the receiver said in between in the same run. Without a time every fix counts.
    mutating func applyFix(_ location: Location, staleAfter: Double) -> Bool {
        if let lastFix, isSameRun, location.timestamp != nil, location.saysTheSame(as: lastFix) { return false }
        isSameRun = true
        if let lastFix, location.monotonicTime.seconds(since: lastFix.monotonicTime) >= patience(staleAfter) {
            fixSince = nil
        }
        epoch.observe(location)
        lastFix = location
        if fixSince == nil { fixSince = location.monotonicTime }
        return true
    }

    mutating func loseFix() {
        fixSince = nil
    }

    /// It is not listened to any more; the time until it is again says nothing about it.
    mutating func stop() {
        loseFix()
        epoch.pause()
        isSameRun = false
    }

    /// How long its last fix is fresh.
    func patience(_ staleAfter: Double) -> Double {
        max(staleAfter, 3 * (epoch.interval ?? 0))
    }

    /// When its fix will be stale; `nil` while it has none.
    func staleAt(_ staleAfter: Double) -> BootInstant? {
        guard hasFix, let lastFix else { return nil }
        return lastFix.monotonicTime.advanced(bySeconds: patience(staleAfter))
    }

    func isLive(at now: BootInstant, staleAfter: Double) -> Bool {
        staleAt(staleAfter).map { now < $0 } ?? false
    }
}

/// How often a receiver speaks, learnt from its last gaps.
///
/// The middle one of the last three counts: one long gap is an outage, one short one two reports of an epoch before the
/// receiver has a time; two long ones are a slow receiver.
struct EpochEstimate {
    private var gaps: [Double] = []
    private var lastTime: UTCTime?
    private var lastArrival: BootInstant?

    /// Seconds from one epoch to the next; `nil` until two came.
    var interval: Double? { gaps.isEmpty ? nil : gaps.sorted()[(gaps.count - 1) / 2] }

    /// The time until the next fix is no gap between epochs.
    mutating func pause() {
        lastArrival = nil
    }

    mutating func observe(_ location: Location) {
        if let time = location.timestamp, time == lastTime { return }
        if let lastArrival {
            gaps.append(location.monotonicTime.seconds(since: lastArrival))
            if gaps.count > 3 { gaps.removeFirst() }
        }
        lastArrival = location.monotonicTime
        lastTime = location.timestamp
    }
}
