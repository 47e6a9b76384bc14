import LocationEstimate
@_spi(Programs) package import LocationModel

extension Hub {
    /// The rank of locations injected by hand: before every source.
    package static let injectedRank = -1

    /// Applies an event of a source.
    package mutating func applyEvent(_ event: SourceEvent, from rank: Int, at now: BootInstant) -> [HubAction] {
        guard isEnabled, sources.isHeard(rank) else { return [] }
        switch event {
        case .fix(let location):
            return applyFix(
                location, from: ReceiverKey(rank: rank, device: location.source.device),
                arrived: location.monotonicTime, at: now)
        case .position(let location, let arrived):
            return applyFix(
                location, from: ReceiverKey(rank: rank, device: location.source.device), arrived: arrived, at: now)
        case .noFix(let device):
            sources.receivers.loseFix(
                of: ReceiverKey(rank: rank, device: device), isReported: true, at: now, settings: settings)
            if sources.receivers.followed == ReceiverKey(rank: rank, device: device) { estimates.applyLoss(at: now) }
            return announceChanges(at: now) + updateStandby(at: now)
        case .satellites(let satellites, let device, let time):
            return applySky(satellites, from: ReceiverKey(rank: rank, device: device), measured: time, at: now)
        case .satelliteCounts(let counts, let device, let time):
            sources.receivers.update(ReceiverKey(rank: rank, device: device), satellites: counts, at: time)
            return []
        case .heading(let heading, let device, let time):
            return applyHeading(heading, from: ReceiverKey(rank: rank, device: device), measured: time, at: now)
        case .condition(let condition):
            sources.applyCondition(condition, from: rank)
            return announceChanges(at: now)
        case .anomaly: return []
        }
    }

    /// Seconds from the demand, or from new sources, to the first fix; returned once, after that fix.
    package mutating func consumeTimeToFirstFix() -> Double? {
        sources.run.consumeTimeToFirstFix()
    }

    /// Counts fixes that the mailbox dropped as lost for the watches that would have seen them.
    package mutating func loseFixes(_ count: Int) -> [HubAction] {
        guard count > 0, isEnabled, sources.demand.isOn else { return [] }
        counters.overflowed += count
        watches.forEach { _, watch in
            let before = watch.totalDropped
            watch.countOverflow(count)
            counters.dropped += watch.totalDropped - before
        }
        let (_, reserve) = sequence.next(skipping: count - 1)
        return reserve.map { [.reserveSequences(upTo: $0)] } ?? []
    }

    private mutating func applyFix(
        _ fix: Location, from key: ReceiverKey, arrived: BootInstant, at now: BootInstant
    ) -> [HubAction] {
        var location = fix
        location.isTimestampImplausible = wallClock.objects(to: fix, tolerance: settings.plausibility.dateTolerance)
        let isFollowed: Bool
        switch sources.receivers.applyFix(location, from: key, arrived: arrived, settings: settings) {
        case .repeated:
            counters.repeats += 1
            counters.repeatsByRank[key.rank, default: 0] += 1
            return []
        case .implausible(let reason):
            location.implausibility = reason
            return holdBack(location, from: key, at: now)
        case .accepted(let isFollowing): isFollowed = isFollowing
        }
        counters.fixes += 1
        counters.fixesByRank[key.rank, default: 0] += 1
        if key.rank != Self.injectedRank { sources.run.fixArrived(at: now) }
        let (number, reserve) = sequence.next()
        location.sequence = number
        if isFollowed {
            lastLocation = location
            sources.run.hadFix = true
        }
        var actions: [HubAction] = reserve.map { [.reserveSequences(upTo: $0)] } ?? []
        var due: Set<WatchID> = []
        if isFollowed {
            observeMovement(location, at: now)
            if !watches.needs.agilities.isEmpty || !requests.isEmpty || estimates.isActive { estimate(location) }
            actions += announceChanges(at: now)
            due = applyToIntervals(location, at: now)
        }
        var deliveries = deliver(location, isFollowed: isFollowed, due: due, at: now)
        if isFollowed {
            deliveries += monitor(location, at: now)
            deliveries += answerRequests(with: location, at: now)
            deliveries += pauseWatches(at: now)
            sources.demand.fixArrived(at: now)
        }
        actions += persistReductionIfChanged()
        let changes = updateDemand(at: now)
        // Nearly always there are only deliveries, which contain the location and are expensive to copy.
        return actions.isEmpty && changes.isEmpty ? deliveries : actions + deliveries + changes
    }

    /// A fix that is not believed is counted, has a number, and is sent to the watches of every source alone.
    private mutating func holdBack(_ fix: Location, from key: ReceiverKey, at now: BootInstant) -> [HubAction] {
        if let reason = fix.implausibility { counters.implausible[key.rank, default: [:]][reason, default: 0] += 1 }
        var location = fix
        let (number, reserve) = sequence.next()
        location.sequence = number
        let actions: [HubAction] = reserve.map { [.reserveSequences(upTo: $0)] } ?? []
        return actions + announceChanges(at: now) + deliver(location, isFollowed: false, due: [], at: now)
            + updateDemand(at: now)
    }

    private mutating func applySky(
        _ satellites: [Satellite], from key: ReceiverKey, measured time: BootInstant, at now: BootInstant
    ) -> [HubAction] {
        sources.receivers.update(key, satellites: SatelliteCounts(satellites), at: time)
        guard watches.needs.sky > 0, let focus = sources.receivers.indexInFocus(at: now, settings: settings),
            sources.receivers.all[focus].key == key
        else { return [] }
        var prompt: [WatchID] = []
        watches.forEach { id, watch in
            guard watch.request.satellites, watch.permission.maySeeAll else { return }
            if watch.isBehind { watch.backlog.hold(satellites: satellites) } else { prompt.append(id) }
        }
        return prompt.isEmpty ? [] : [.sendSatellites(satellites, to: prompt)]
    }

    private mutating func applyHeading(
        _ heading: Heading, from key: ReceiverKey, measured time: BootInstant, at now: BootInstant
    ) -> [HubAction] {
        guard sources.compasses.accept(heading, from: key, measured: time, at: now, staleAfter: settings.staleAfter)
        else { return [] }
        var prompt: [WatchID] = []
        watches.forEach { id, watch in
            guard watch.admits(heading) else { return }
            if watch.isBehind { watch.backlog.hold(heading: heading, at: time) } else { prompt.append(id) }
        }
        let status = announceChanges(at: now)
        return status + (prompt.isEmpty ? [] : [.sendHeading(heading, at: time, to: prompt)])
    }

    /// - Parameter due: the watches with an interval that see every fix and have not had its location yet.
    private mutating func deliver(
        _ location: Location, isFollowed: Bool, due: Set<WatchID>, at now: BootInstant
    ) -> [HubAction] {
        var restricted: [WatchID] = []
        guard isFollowed, estimates.isActive else {
            var full = Delivery(location, to: watches.count)
            watches.forEach { id, watch in
                guard watch.wants(isFollowed: isFollowed) else { return }
                guard watch.receivesFixes else { return restricted.append(id) }
                full.offer(to: id, &watch, isDue: !watch.isSpaced || due.contains(id))
            }
            // Nearly always there is nothing else.
            guard !restricted.isEmpty else { return carryOut([full], at: now) }
            return carryOut([full] + deliver(location, toRestricted: restricted, at: now), at: now)
        }
        // The fix itself, and what each estimator makes of it.
        var deliveries = [Delivery(location, to: watches.count)]
        for estimate in estimates.ofLastFix { deliveries.append(Delivery(estimate, to: watches.count)) }
        let places = estimates.places
        watches.forEach { id, watch in
            guard watch.wants(isFollowed: true) else { return }
            guard watch.seesAll else { return restricted.append(id) }
            let place = watch.receivesFixes ? 0 : 1 + places[watch.agility.rawValue]
            deliveries[place].offer(to: id, &watch, isDue: !watch.isSpaced || due.contains(id))
        }
        if !restricted.isEmpty { deliveries += deliver(location, toRestricted: restricted, at: now) }
        return carryOut(deliveries, at: now)
    }

    /// Delivers what a reduced or paced view shows now to watches that are granted it: the next location may be
    /// minutes away. Watches that see each fix are sent the next one.
    mutating func deliverPresentLocation(to ids: [WatchID], at now: BootInstant) -> [HubAction] {
        let restricted = ids.filter { id in
            watches[id].map { !$0.seesAll && $0.wants(isFollowed: true) } ?? false
        }
        return carryOut(deliver(nil, toRestricted: restricted, at: now), at: now)
    }

    /// Delivers to those who see neither each fix as it is, nor what is estimated of each.
    /// - Parameter fix: a new one; `nil` to deliver what their views show now.
    private mutating func deliver(
        _ fix: Location?, toRestricted restricted: [WatchID], at now: BootInstant
    ) -> [Delivery] {
        let lead = rests.intervals.lead
        var others: [View: Delivery] = [:]
        for id in restricted {
            guard let view = watches[id]?.view,
                let shown = fix.map({ views.applyFix($0, for: view, at: now) }) ?? freshLocation(for: view, at: now)
            else { continue }
            watches.modify(id) { watch in
                let isDue = watch.isIntervalOver(with: shown, lead: lead)
                others[view, default: Delivery(shown)].offer(to: id, &watch, isDue: isDue)
            }
        }
        return Array(others.values)
    }

    /// Delivers what is predicted in place of a fix.
    mutating func deliver(prediction: Location, to agility: Agility, at now: BootInstant) -> [HubAction] {
        var delivery = Delivery(prediction)
        watches.forEach { id, watch in
            // Who wants a location in each interval wants one that is measured then.
            guard watch.receivesEstimates, watch.agility == agility, watch.wants(isFollowed: true), !watch.isSpaced
            else { return }
            delivery.offer(to: id, &watch, isDue: true)
        }
        return carryOut([delivery], at: now)
    }

    private mutating func carryOut(_ deliveries: [Delivery], at now: BootInstant) -> [HubAction] {
        var actions: [HubAction] = []
        for delivery in deliveries {
            counters.dropped += delivery.dropped
            if !delivery.concerned.isEmpty { actions += sendStatus(to: delivery.concerned, at: now) }
            for id in delivery.ended { removeWatch(id) }
        }
        for delivery in deliveries where !delivery.prompt.isEmpty {
            actions.append(.sendLocation(delivery.location, to: delivery.prompt))
        }
        for delivery in deliveries where !delivery.own.isEmpty { actions += delivery.own }
        for delivery in deliveries where !delivery.delayed.isEmpty {
            actions += hold(delivery.location, for: delivery.delayed, at: now)
        }
        return actions
    }
}

/// One location on its way to the watches that see it alike.
private struct Delivery {
    let location: Location
    /// Those that are sent what all are sent.
    var prompt: [WatchID] = []
    /// Those for which it is held.
    private(set) var delayed: [WatchID] = []
    /// The replies to those that are sent something of their own, and which of them are at their end by it.
    private(set) var own: [HubAction] = []
    private(set) var ended: [WatchID] = []
    /// Those whose status has another reason now.
    private(set) var concerned: [WatchID] = []
    private(set) var dropped = 0
    private var point: SurfacePoint?

    /// - Parameter count: how many it may be offered to.
    init(_ location: Location, to count: Int = 0) {
        self.location = location
        prompt.reserveCapacity(count)
    }

    mutating func offer(to id: WatchID, _ watch: inout Watch, isDue: Bool) {
        let before = watch.totalDropped
        switch watch.consider(location, at: &point, isDue: isDue) {
        case .nothing: break
        case .ordinary: prompt.append(id)
        case .delayed: delayed.append(id)
        case .own(let update):
            own.append(.reply(id, update))
            if update.isFinal { ended.append(id) }
        }
        dropped += watch.totalDropped - before
        if watch.isStatusDue {
            watch.isStatusDue = false
            concerned.append(id)
        }
    }
}
