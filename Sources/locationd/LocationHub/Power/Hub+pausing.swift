@_spi(Programs) import LocationModel

/// Watches that pause while the machine is stationary: the receivers rest as between the locations of a watch with an
/// interval, and are started every ``HubSettings/pauseInterval`` to see whether the machine moves.
extension Hub {
    /// Ends the pauses if the fix of the followed receiver says that the machine moves: before it is delivered.
    /// ``announceChanges(at:)`` has to follow.
    mutating func observeMovement(_ fix: Location, at now: BootInstant) {
        rests.stationary.applyFix(fix)
        if !rests.stationary.isStationary { resumeWatches(at: now) }
    }

    /// Pauses watches whose machine has been stationary for long enough: after the fix was delivered.
    mutating func pauseWatches(at now: BootInstant) -> [HubAction] {
        guard !rests.pauses.candidates.isEmpty, rests.stationary.isStationary, let seconds = rests.stationary.seconds
        else { return [] }
        let ids = rests.pauses.due(after: seconds)
        let interval = settings.pauseInterval
        for id in ids { changeNeeds(of: id, servedBy: lastLocation, at: now) { $0.pause(checking: interval) } }
        return sendStatus(to: ids, at: now)
    }

    /// Whether it is known that the machine is stationary, or not. While watches are paused, the last start of the
    /// receivers counts until the next.
    func knowsMovement(at now: BootInstant) -> Bool {
        !rests.pauses.paused.isEmpty || sources.receivers.indexOfLive(at: now, settings: settings) != nil
    }

    /// Whether everybody has been told that the machine is stationary, and it is not known any more.
    func hasForgottenStay(at now: BootInstant) -> Bool { announced.isStationary && !knowsMovement(at: now) }

    /// Ends the pauses. ``announceChanges(at:)`` has to follow.
    mutating func resumeWatches(at now: BootInstant) {
        guard !rests.pauses.paused.isEmpty else { return }
        rests.resumed.formUnion(rests.pauses.paused)
        for id in rests.pauses.paused { changeNeeds(of: id, at: now) { $0.resume() } }
    }

    /// Changes what a watch may see or whether it is paused, and what follows for the demand.
    /// - Parameter fix: what it was sent last, if it next wants a location an interval after that.
    mutating func changeNeeds(
        of id: WatchID, servedBy fix: Location? = nil, at now: BootInstant, by change: (inout Watch) -> Void
    ) {
        guard var watch = watches[id] else { return }
        let neededReceivers = watch.needsReceiversAlways
        change(&watch)
        watch.restReason = rests.intervals.reasonToRunOn(for: watch)
        if watch.needsReceiversAlways != neededReceivers {
            receiverTime.set(.watch(id), account: watch.account, needsReceivers: !neededReceivers)
        }
        rests.intervals.remove(id)
        rests.intervals.add(id, watch, servedBy: fix, at: now)
        rests.pauses.update(id, watch)
        watches.replace(id, with: watch)
    }
}
