import LocationModel

/// The watches that pause while the machine is stationary.
struct Pauses {
    /// Those that are not paused, and how many seconds the machine has to be stationary before they are.
    private(set) var candidates: [WatchID: Double] = [:]
    private(set) var paused: Set<WatchID> = []

    /// A watch has begun, or what it may see or whether it is paused has changed.
    mutating func update(_ id: WatchID, _ watch: Watch) {
        remove(id)
        if watch.isPaused { paused.insert(id) } else if let delay = watch.pauseDelay { candidates[id] = delay }
    }

    mutating func remove(_ id: WatchID) {
        candidates[id] = nil
        paused.remove(id)
    }

    /// Those that pause when the machine has been stationary for so many seconds, in the order of their slots.
    func due(after seconds: Double) -> [WatchID] {
        candidates.filter { $0.value <= seconds }.keys.sorted { $0.slot < $1.slot }
    }
}

/// Watches that pause while the machine is stationary: the receivers rest as between the locations of a watch with an
/// interval, and are started every ``HubSettings/pauseInterval`` to see whether the machine moves.
extension Hub {
    /// Ends the pauses if the fix of the followed receiver says that the machine moves: before it is delivered.
    /// ``announceChanges(at:)`` has to follow.
    mutating func observeMovement(_ fix: Location, at now: BootInstant) {
        stationary.applyFix(fix)
        if !stationary.isStationary { resumeWatches(at: now) }
    }

    /// Pauses watches whose machine has been stationary for long enough: after the fix was delivered.
    mutating func pauseWatches(at now: BootInstant) -> [HubAction] {
        guard !pauses.candidates.isEmpty, stationary.isStationary, let seconds = stationary.seconds else { return [] }
        let ids = pauses.due(after: seconds)
        let interval = settings.pauseInterval
        for id in ids { changeNeeds(of: id, servedBy: lastLocation, at: now) { $0.pause(checking: interval) } }
        return sendStatus(to: ids, at: now)
    }

    /// Whether it is known that the machine is stationary, or not. While watches are paused, the last start of the receivers
    /// counts until the next.
    func knowsMovement(at now: BootInstant) -> Bool {
        !pauses.paused.isEmpty || receivers.indexOfLive(at: now, settings: settings) != nil
    }

    /// Whether everybody has been told that the machine is stationary, and it is not known any more.
    func hasForgottenStay(at now: BootInstant) -> Bool { announced.isStationary && !knowsMovement(at: now) }

    /// Ends the pauses. ``announceChanges(at:)`` has to follow.
    mutating func resumeWatches(at now: BootInstant) {
        guard !pauses.paused.isEmpty else { return }
        resumed.formUnion(pauses.paused)
        for id in pauses.paused { changeNeeds(of: id, at: now) { $0.resume() } }
    }

    /// Changes what a watch may see or whether it is paused, and what follows for the demand.
    /// - Parameter fix: what it was sent last, if it next wants a location an interval after that.
    mutating func changeNeeds(
        of id: WatchID, servedBy fix: Location? = nil, at now: BootInstant, by change: (inout Watch) -> Void
    ) {
        guard var watch = watches[id] else { return }
        let neededReceivers = watch.needsReceiversAlways
        needs.remove(watch)
        change(&watch)
        needs.add(watch)
        if watch.needsReceiversAlways != neededReceivers {
            receiverTime.set(.watch(id), account: watch.account, needsReceivers: !neededReceivers)
        }
        intervals.remove(id)
        intervals.add(id, watch, servedBy: fix, at: now)
        pauses.update(id, watch)
        _ = watches.modify(id) { $0 = watch }
    }
}
