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

    mutating func take(_ location: Location, from key: ReceiverKey, settings: HubSettings) -> Outcome {
        let now = location.monotonicTime
        let index = index(of: key)
        guard all[index].take(location, staleAfter: settings.staleAfter) else { return .repeated }
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
