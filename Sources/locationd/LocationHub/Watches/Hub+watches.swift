@_spi(Programs) package import LocationModel

extension Hub {
    /// The client has not read all it was sent; from now on updates are held for it.
    package mutating func fellBehind(_ id: WatchID) {
        _ = watches.modify(id) { $0.isBehind = true }
    }

    /// The next update held for a client that has read all it was sent; `nil` when there is none left. The last one it
    /// asked for ends the watch; the actions are what follows from that.
    package mutating func popHeld(
        _ id: WatchID, at now: BootInstant
    ) -> (update: WatchUpdate, actions: [HubAction])? {
        guard let update = watches.modify(id, { $0.popHeld() }) ?? nil else { return nil }
        return (update, update.isFinal ? endWatch(id, at: now) : [])
    }

    /// Changes the permission of some clients; without permission, nothing that was held for them is ever sent. A watch
    /// that saw nothing and sees a reduced or paced view from now on is sent what one that is opened now is.
    package mutating func setPermission(
        _ permission: Permission, of ids: [WatchID], at now: BootInstant
    ) -> [HubAction] {
        // An overdue deadline must not send what is held, or predict, under the former permission.
        for id in ids { _ = watches.modify(id) { $0.forgetBatch(unlessSeenBy: permission) } }
        let overdue = catchUp(to: now, predicting: false)
        var (changed, granted) = ([WatchID](), [WatchID]())
        for id in ids {
            guard let watch = watches[id], watch.permission != permission.limited(to: watch.request) else { continue }
            changeNeeds(of: id, at: now) { $0.permit(permission) }
            changed.append(id)
            if watch.view == .nothing { granted.append(id) }
        }
        guard !changed.isEmpty else { return overdue }
        let statuses = sendStatus(to: changed, at: now)
        let locations = deliverPresentLocation(to: granted, at: now)
        let states = changed.flatMap { permitMonitor($0, permission, at: now) }
        return overdue + statuses + persistReductionIfChanged() + locations + states + updateDemand(at: now)
    }

    /// Ends the service: every watch gets a last reply with the reason, every request an answer.
    package mutating func finish(reason: String, at now: BootInstant) -> [HubAction] {
        var actions = flushBatches(of: watches.ids)
        var ids: [WatchID] = []
        let source = SourceStatus(state: .stopped, reason: reason)
        watches.forEach { id, watch in
            var status = ServiceStatus(
                authorization: watch.permission.authorization, accuracy: watch.permission.accuracy,
                enabled: isEnabled, source: source, authorizationPending: watch.permission.isPending)
            watch.permission.describe(in: &status, at: now)
            actions.append(.reply(id, watch.closing(status: status)))
            ids.append(id)
        }
        for id in ids { removeWatch(id) }
        return actions + answerAll(.unavailable(reason: reason, best: nil)) + updateDemand(at: now)
    }

    /// How far a watch has fallen behind, for the administrator.
    package func progress(of id: WatchID) -> (isBehind: Bool, dropped: Int)? {
        watches[id].map { ($0.isBehind, $0.totalDropped) }
    }

    mutating func forgetHeldPositions() {
        watches.forEach { _, watch in
            let lost = watch.forgetHeldPositions()
            watch.countLost(lost)
            counters.dropped += lost
        }
    }

    /// Sends several watches of one permission the same status.
    mutating func sendStatus(_ status: ServiceStatus, to ids: [WatchID]) -> [HubAction] {
        let batches = flushBatches(of: ids)
        var prompt: [WatchID] = []
        var actions: [HubAction] = []
        for id in ids {
            let outcome = watches.modify(id) { watch in
                guard watch.isBehind || watch.isHeldBack else {
                    prompt.append(id)
                    return (hasRoom: true, lost: 0)
                }
                let lost = watch.holdNewestOfBatch()
                // Waiting for the disk alone is not the client's fault, and lasts seconds at most.
                return (hasRoom: watch.backlog.hold(status: status) || !watch.isBehind, lost: lost)
            }
            counters.dropped += outcome?.lost ?? 0
            if outcome?.hasRoom == false {
                removeWatch(id)
                actions.append(
                    .disconnect(id, reason: "it did not read during \(Backlog.statusLimit) changes of status"))
            }
        }
        return batches + (prompt.isEmpty ? [] : [.sendStatus(status, to: prompt)]) + actions
    }
}
