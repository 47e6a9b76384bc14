@_spi(Programs) package import LocationModel

/// Watches with a maximum delay.
extension Hub {
    /// Sends what was held while the client had not read all it was sent, if it is due. To be called when
    /// ``popHeld(_:at:)`` has nothing left.
    package mutating func releaseBatch(of id: WatchID, at now: BootInstant) -> [HubAction] {
        guard let watch = watches[id], watch.isBatchComplete || !watches.batches.contains(id) else { return [] }
        let actions = releaseBatches(of: [id])
        return watches[id] == nil ? actions + updateDemand(at: now) : actions
    }

    /// Holds a location for watches that see it alike.
    mutating func hold(_ location: Location, for ids: [WatchID], at now: BootInstant) -> [HubAction] {
        let location = HeldLocation(location)
        var complete: [WatchID] = []
        for id in ids {
            let state = watches.modify(id) { watch in
                let before = watch.totalDropped
                let deadline = watch.hold(location, at: now)
                return (deadline: deadline, isComplete: watch.isBatchComplete, dropped: watch.totalDropped - before)
            }
            guard let state else { continue }
            counters.dropped += state.dropped
            if let deadline = state.deadline { watches.batches.add(id, at: deadline) }
            if state.isComplete { complete.append(id) }
        }
        return complete.isEmpty ? [] : releaseBatches(of: complete)
    }

    mutating func releaseOverdueBatches(at now: BootInstant) -> [HubAction] {
        releaseBatches(of: watches.batches.removeOverdue(at: now))
    }

    /// Sends what is held before something else is: before its time.
    mutating func flushBatches(of ids: [WatchID]) -> [HubAction] {
        // Of clients that are not behind, who holds something has a deadline.
        watches.batches.isEmpty ? [] : releaseBatches(of: ids)
    }

    /// Sends what is held for the watches, encoded once for those that get the same. What is held for a client that is
    /// behind waits until it has read. Watches end with the last location they asked for; ``updateDemand(at:)`` has to
    /// follow.
    mutating func releaseBatches(of ids: [WatchID]) -> [HubAction] {
        struct Content: Hashable {
            let locations: [ObjectIdentifier]
            let dropped: Int
            let isFinal: Bool
        }
        var order: [Content] = []
        var groups: [Content: (batch: LocationBatch, ids: [WatchID])] = [:]
        for id in ids {
            guard let (held, dropped, isFinal) = watches.modify(id, { $0.releaseBatch() }) ?? nil else { continue }
            watches.batches.remove(id)
            if isFinal { removeWatch(id) }
            let content = Content(locations: held.map(ObjectIdentifier.init), dropped: dropped, isFinal: isFinal)
            if groups[content]?.ids.append(id) != nil { continue }
            order.append(content)
            let batch = LocationBatch(locations: held.map(\.value), dropped: dropped, isFinal: isFinal)
            groups[content] = (batch, [id])
        }
        return order.compactMap { groups[$0] }.map { .sendBatch($0.batch, to: $0.ids) }
    }
}
